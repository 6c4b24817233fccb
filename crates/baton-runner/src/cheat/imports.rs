//! What a script of a check reads in from the folder that it lies in.

use super::files::{folder_of, joined};

/// Returns the files beside a script that it may import, whether they exist or not.
pub(super) fn beside(path: &str, text: &str) -> Vec<String> {
    let folder = folder_of(path);
    let names: Vec<String> = match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "py" => text.lines().flat_map(python).collect(),
        "js" | "cjs" | "mjs" | "ts" => text.lines().flat_map(script).collect(),
        _ => Vec::new(),
    };
    let found = names.iter().filter_map(|name| joined(folder, name));
    let is_below = |found: &String| folder.is_empty() || found.starts_with(&format!("{folder}/"));
    found.filter(is_below).collect()
}

/// `import a, b.c`, `from .d import e`
fn python(line: &str) -> Vec<String> {
    let modules: Vec<&str> = if let Some(rest) = line.trim().strip_prefix("import ") {
        rest.split(',').filter_map(|part| part.split_whitespace().next()).collect()
    } else if let Some(rest) = line.trim().strip_prefix("from ") {
        rest.split_whitespace().take(1).collect()
    } else {
        Vec::new()
    };
    let paths = modules.iter().map(|module| module.trim_start_matches('.').replace('.', "/"));
    let paths = paths.filter(|path| !path.is_empty());
    paths.flat_map(|path| [format!("{path}.py"), format!("{path}/__init__.py")]).collect()
}

/// `require('./a')`, `import b from './b.js'`
fn script(line: &str) -> Vec<String> {
    if !line.contains("require(") && !line.contains("import") && !line.contains(" from ") {
        return Vec::new();
    }
    let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2).filter(|name| name.starts_with("./"));
    let ends = ["", ".js", ".mjs", ".cjs", ".ts", "/index.js"];
    quoted.flat_map(|name| ends.map(|end| format!("{name}{end}"))).collect()
}
