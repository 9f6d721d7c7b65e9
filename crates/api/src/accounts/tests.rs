use super::*;

const WORD: &str = "correct horse";

fn space(name: &str) -> SpaceId {
    SpaceId::parse(name).expect("a space")
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("accounts.toml");
    (dir, path)
}

#[test]
fn who_knows_the_password_is_let_in_with_the_rights_of_the_account() {
    let (_dir, path) = file();
    let accounts = Accounts::at(Some(path.clone()));
    assert!(!accounts.any());
    let of = [space("acme")];
    put_account(
        &path,
        "anna",
        PasswordChange::To(WORD),
        (&of, &[Right::Read]),
    )
    .expect("written");
    let anna = accounts.check("anna", WORD).expect("let in");
    let may = |right| anna.authority().authorise(&space("acme"), right).is_ok();
    assert!(may(Right::Read) && !may(Right::Admin));
    assert!(
        anna.authority()
            .authorise(&space("b"), Right::Read)
            .is_err()
    );
    for (name, password) in [
        ("anna", "correct hors"),
        ("anna", ""),
        ("bob", WORD),
        ("", ""),
        ("anna\0", WORD),
    ] {
        assert_eq!(accounts.check(name, password), None, "{name} {password}");
    }
    let mode = fs::metadata(&path).expect("there").mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!fs::read_to_string(&path).expect("read").contains(WORD));
}

#[test]
fn a_new_password_or_none_ends_what_was_begun_with_the_old_one() {
    let (_dir, path) = file();
    let accounts = Accounts::at(Some(path.clone()));
    let of = [space("acme")];
    put_account(
        &path,
        "anna",
        PasswordChange::To(WORD),
        (&of, &[Right::Read]),
    )
    .expect("written");
    let anna = accounts.check("anna", WORD).expect("let in");
    assert_eq!(accounts.person("anna", &anna.mark), Some(anna.clone()));
    // Other rights count at once, and leave the session.
    put_account(
        &path,
        "anna",
        PasswordChange::None,
        (&[space("b")], &[Right::Admin]),
    )
    .expect("written");
    let more = accounts.person("anna", &anna.mark).expect("still in");
    assert_eq!(more.may.len(), 2);
    put_account(
        &path,
        "anna",
        PasswordChange::To("another password"),
        (&[], &[]),
    )
    .expect("written");
    assert_eq!(accounts.person("anna", &anna.mark), None);
    let anna = accounts.check("anna", "another password").expect("let in");
    remove_account(&path, "anna").expect("written");
    assert_eq!(accounts.person("anna", &anna.mark), None);
    assert!(remove_account(&path, "anna").is_err());
}

#[test]
fn a_file_that_cannot_be_used_lets_nobody_in_and_is_said_by_its_line() {
    let (_dir, path) = file();
    let accounts_at = Accounts::at(Some(path.clone()));
    put_account(
        &path,
        "anna",
        PasswordChange::To(WORD),
        (&[space("a")], &[Right::Read]),
    )
    .expect("written");
    let good = fs::read_to_string(&path).expect("read");
    for (bad, words) in [
        (
            good.replace("[accounts.anna]", "[accounts.anna"),
            "look at line 3",
        ),
        (good.replace("password", "secret"), "no file of accounts"),
        (good.replace("\"read\"", "\"reed\""), "no file of accounts"),
        (good.replace("$argon2id", "x"), "no hash of Argon2"),
        (
            good.replace("accounts.anna", "accounts.\"An na\""),
            "no name of an account",
        ),
        ("x".repeat(4_000_001), "more than"),
    ] {
        fs::write(&path, &bad).expect("written");
        assert!(accounts_at.check("anna", WORD).is_none(), "{words}");
        let told = format!("{:#}", accounts(&path).expect_err(words));
        assert!(told.contains(words), "{told}");
        assert!(!told.contains("$v=19"), "{told}");
        fs::write(&path, &good).expect("written");
        assert!(accounts_at.check("anna", WORD).is_some());
    }
}

#[test]
fn what_cannot_be_a_name_or_a_password_is_refused() {
    let (dir, path) = file();
    let put = |path: &Path, name: &str, password| {
        let put = put_account(
            path,
            name,
            PasswordChange::To(password),
            (&[space("a")], &[Right::Read]),
        );
        format!("{:#}", put.expect_err(name))
    };
    for name in ["", "Anna", "an na", "anna\n", "äh", &"x".repeat(101)] {
        assert!(put(&path, name, WORD).contains("no name of an account"));
    }
    assert!(put(&path, "anna", "short").contains("10 to 1000 bytes"));
    let long = "x".repeat(1001);
    assert!(put(&path, "anna", &long).contains("10 to 1000 bytes"));
    let nowhere = dir.path().join("none/accounts.toml");
    assert!(put(&nowhere, "anna", WORD).contains("api.accounts_file"));
    assert_eq!(new_password().expect("random").len(), 22);
}
