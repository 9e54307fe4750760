#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| docet_fuzz::guidelines(bytes));
