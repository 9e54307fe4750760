# Short names for what CONTRIBUTING.md explains. `just` lists them.

default:
    @just --list

# Every test; brings the weights first
test:
    cargo xtask test

# What is worth running but longer
long cases="5000":
    cargo xtask long {{cases}}

# Formatting, lints, house rules
check:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings
    cargo xtask tidy

# What continuous integration runs
ci:
    bash .ci/run
