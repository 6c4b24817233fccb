//! The name of a branch that Baton may write.

use super::GitError;

const NAME_BYTES_MAX: usize = 200;

/// A branch by its name without `refs/heads/`, which git takes for nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch(String);

impl Branch {
    /// Holds a name against the rules of git, and some more: no name that looks like an option, an id or a way upwards.
    pub fn new(name: &str) -> Result<Self, GitError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./+=,".contains(&byte);
        let is_part = |part: &str| {
            !part.is_empty()
                && !part.starts_with(['.', '-'])
                && !part.ends_with('.')
                && !part.ends_with(".lock")
        };
        let is_id = name.len() >= 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_good = name.len() <= NAME_BYTES_MAX
            && name.bytes().all(is_plain)
            && name.split('/').all(is_part)
            && !name.contains("..")
            && !name.eq_ignore_ascii_case("HEAD")
            && !name.starts_with("refs/")
            && !is_id;
        match is_good {
            true => Ok(Self(name.to_owned())),
            false => Err(GitError::unsupported(
                format!("`{}` is no name for the branch that accepted work goes to", name.escape_debug()),
                "Use letters, digits, `-`, `_`, `.` and `/`, such as `baton/accepted`",
            )),
        }
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// The whole name of the reference.
    pub fn reference(&self) -> String {
        format!("refs/heads/{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_something_else_are_refused() {
        for good in ["main", "baton/accepted", "release-1.2", "a/b/c"] {
            assert!(Branch::new(good).is_ok(), "{good}");
        }
        let id = "a".repeat(40);
        let bad = [
            "",
            "/",
            "a/",
            "/a",
            "a//b",
            "..",
            "a..b",
            "../../x",
            "-x",
            "--upload-pack=x",
            "a/-b",
            ".a",
            "a/.b",
            "a.",
            "x.lock",
            "x.lock/y",
            "@",
            "a@{1}",
            "HEAD",
            "head",
            "refs/heads/a",
            "a b",
            "a~1",
            "a^",
            "a:b",
            "a?",
            "a*",
            "a[b",
            "a\\b",
            "a\nb",
            "a\0b",
            "ü",
            "$(id)",
            ";id",
            "`id`",
            &id,
        ];
        for bad in bad {
            assert!(Branch::new(bad).is_err(), "{bad:?}");
        }
    }
}
