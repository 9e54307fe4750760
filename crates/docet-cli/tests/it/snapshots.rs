//! Help and error texts, word for word. `TRYCMD=overwrite` writes them anew.

use crate::sandbox::DOCET;

#[test]
fn help_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases.register_bin("docet", std::path::Path::new(DOCET));
    for variable in ["DOCET_STORE", "DOCET_LIBRARY", "DOCET_THREADS", "DOCET_MODEL_DIR", "COLUMNS"] {
        cases.env(variable, "");
    }
    cases.env("DOCET_DATA_DIR", folder.path().join("data").to_str().unwrap());
    cases.insert_var("[DATA]", folder.path().join("data").to_str().unwrap().to_owned()).unwrap();
    cases.case("tests/cmd/*.md");
    cases.run();
}
