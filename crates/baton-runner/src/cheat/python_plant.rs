//! Files that Python runs or believes before those of the project: modules with the names of its own, compiled ones, paths.

use super::files::folder_of;
use super::line::text;
use super::{Change, Scene};

/// The modules that come with Python, without those whose name begins with `_`.
#[rustfmt::skip]
const STANDARD: &[&str] = &[
    "abc", "aifc", "annotationlib", "antigravity", "argparse", "array", "ast", "asynchat", "asyncio",
    "asyncore", "atexit", "audioop", "base64", "bdb", "binascii", "bisect", "builtins", "bz2", "cProfile",
    "calendar", "cgi", "cgitb", "chunk", "cmath", "cmd", "code", "codecs", "codeop", "collections",
    "colorsys", "compileall", "compression", "concurrent", "configparser", "contextlib", "contextvars",
    "copy", "copyreg", "crypt", "csv", "ctypes", "curses", "dataclasses", "datetime", "dbm", "decimal",
    "difflib", "dis", "distutils", "doctest", "email", "encodings", "ensurepip", "enum", "errno",
    "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch", "fractions", "ftplib", "functools", "gc",
    "genericpath", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq",
    "hmac", "html", "http", "idlelib", "imaplib", "imghdr", "imp", "importlib", "inspect", "io",
    "ipaddress", "itertools", "json", "keyword", "lib2to3", "linecache", "locale", "logging", "lzma",
    "mailbox", "mailcap", "marshal", "math", "mimetypes", "mmap", "modulefinder", "msilib", "msvcrt",
    "multiprocessing", "netrc", "nis", "nntplib", "nt", "ntpath", "nturl2path", "numbers", "opcode",
    "operator", "optparse", "os", "ossaudiodev", "pathlib", "pdb", "pickle", "pickletools", "pipes",
    "pkgutil", "platform", "plistlib", "poplib", "posix", "posixpath", "pprint", "profile", "pstats", "pty",
    "pwd", "py_compile", "pyclbr", "pydoc", "pydoc_data", "pyexpat", "queue", "quopri", "random", "re",
    "readline", "reprlib", "resource", "rlcompleter", "runpy", "sched", "secrets", "select", "selectors",
    "shelve", "shlex", "shutil", "signal", "site", "smtpd", "smtplib", "sndhdr", "socket", "socketserver",
    "spwd", "sqlite3", "sre_compile", "sre_constants", "sre_parse", "ssl", "stat", "statistics", "string",
    "stringprep", "struct", "subprocess", "sunau", "symtable", "sys", "sysconfig", "syslog", "tabnanny",
    "tarfile", "telnetlib", "tempfile", "termios", "textwrap", "this", "threading", "time", "timeit",
    "tkinter", "token", "tokenize", "tomllib", "trace", "traceback", "tracemalloc", "tty", "turtle",
    "turtledemo", "types", "typing", "unicodedata", "unittest", "urllib", "uu", "uuid", "venv", "warnings",
    "wave", "weakref", "webbrowser", "winreg", "winsound", "wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp",
    "zipfile", "zipimport", "zlib", "zoneinfo",
];
/// Where the flags of a compiled module stand, and those that say that its source is never looked at.
const FLAGS: std::ops::Range<usize> = 4..8;
const BY_HASH: u8 = 1;
const IS_HELD_AGAINST_SOURCE: u8 = 2;

/// Says how a file gets itself into the run of a check by Python.
pub(super) fn told(change: &Change<'_>, scene: &Scene<'_>) -> Option<&'static str> {
    let mut folders = scene.before.python_folders.iter().chain(&scene.after.python_folders).peekable();
    folders.peek()?;
    let after = change.after?;
    let name = change.path.rsplit('/').next().unwrap_or(change.path);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    match ending {
        "pyc" if is_believed(change.path, after) => {
            Some("a compiled module that counts whatever its source says")
        }
        "pth"
            if text(change.after)
                .is_some_and(|text| text.lines().any(|line| line.starts_with("import "))) =>
        {
            Some("Python runs the lines of it that import something")
        }
        "py" if change.before.is_none() => {
            let folder = folder_of(change.path);
            let (place, module) = match stem {
                "__init__" => (folder_of(folder), folder.rsplit('/').next().unwrap_or(folder)),
                stem => (folder, stem),
            };
            let is_first = folders.any(|found| found == place) && STANDARD.contains(&module);
            is_first.then_some("it has the name of a module of Python, and is found first")
        }
        _ => None,
    }
}

/// One beside its source is held against it, unless it says otherwise; one that stands alone is all there is.
fn is_believed(path: &str, bytes: &[u8]) -> bool {
    let is_cached = folder_of(path).ends_with("__pycache__");
    let flags = bytes.get(FLAGS).and_then(|flags| flags.first()).copied().unwrap_or_default();
    !is_cached || flags & BY_HASH != 0 && flags & IS_HELD_AGAINST_SOURCE == 0
}
