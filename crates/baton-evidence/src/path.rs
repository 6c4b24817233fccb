//! Paths as handoffs write them.

/// A path that can be looked up.
#[derive(Debug, PartialEq, Eq)]
pub enum Listed {
    Relative(String),
    /// A path from the root of some machine, in its parts.
    Foreign(Vec<String>),
}

/// Reads a path that a handoff lists, or says why it can't be looked up.
pub fn read(text: &str, root: &str) -> Result<Listed, &'static str> {
    let text = text.trim().trim_matches(['`', '"', '\'']).trim();
    if text.contains("://") {
        return Err("it is an address, not a file of this repository");
    }
    let slashed =
        if text.contains('/') && !is_windows(text) { text.to_owned() } else { text.replace('\\', "/") };
    let plain = without_lines(&slashed).trim_end_matches('/');
    if plain.is_empty() || plain == "." {
        return Err("it names no file");
    }
    if plain.contains(['*', '?', '{', '<', '>', '|', '…', '$', '\0', '\n']) || plain.contains("...") {
        return Err("it stands for more than one file");
    }
    if plain.contains([' ', '(', ',']) {
        return Err("it is not a path alone");
    }
    let root = root.replace('\\', "/");
    let plain = plain.strip_prefix(&format!("{}/", root.trim_end_matches('/'))).unwrap_or(plain);
    let parts: Vec<&str> = plain.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if plain.starts_with('/') || plain.starts_with('~') || is_windows(plain) {
        let parts = parts.iter().filter(|part| !part.ends_with(':') && **part != "~" && **part != "..");
        return Ok(Listed::Foreign(parts.map(|part| (*part).to_owned()).collect()));
    }
    if parts.contains(&"..") {
        return Err("it leaves its folder");
    }
    Ok(Listed::Relative(parts.join("/")))
}

fn is_windows(path: &str) -> bool {
    let mut characters = path.chars();
    let drive = characters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    drive && characters.next() == Some(':') && matches!(characters.next(), Some('/' | '\\'))
}

/// Reads "old -> new", as renames are written.
pub fn read_rename(text: &str) -> Option<(&str, &str)> {
    ARROWS.iter().find_map(|arrow| {
        let (old, new) = text.split_once(arrow)?;
        let trimmed = |side: &'_ str| side.trim().trim_matches('`').trim().len() > 1;
        (trimmed(old) && trimmed(new)).then(|| (old.trim(), new.trim()))
    })
}

const ARROWS: &[&str] = &[" -> ", " => ", " → "];

/// Takes `:12` or `:12-40` off the end.
fn without_lines(path: &str) -> &str {
    match path.rsplit_once(':') {
        Some((front, lines)) if lines.starts_with(|first: char| first.is_ascii_digit()) => front,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_as_people_write_them() {
        let root = "/srv/shop";
        let relative = |path: &str| Ok(Listed::Relative(path.to_owned()));
        let foreign =
            |parts: &[&str]| Ok(Listed::Foreign(parts.iter().map(|part| (*part).to_owned()).collect()));
        assert_eq!(read("./src/a.rs", root), relative("src/a.rs"));
        assert_eq!(read("`src/a.rs:10-20`", root), relative("src/a.rs"));
        assert_eq!(read("src\\a.rs", root), relative("src/a.rs"));
        assert_eq!(read("/srv/shop/src/a.rs", root), relative("src/a.rs"));
        assert_eq!(read("/Users/ana/shop/src/a.rs", root), foreign(&["Users", "ana", "shop", "src", "a.rs"]));
        assert_eq!(read("C:\\dev\\shop\\src\\a.rs", root), foreign(&["dev", "shop", "src", "a.rs"]));
        for text in
            ["src/*.rs", "src/{a,b}.rs", "", "../other/a.rs", "https://a.example/b.rs", "the parser (new)"]
        {
            assert!(read(text, root).is_err(), "{text}");
        }
    }
}
