//! The simple commands in a text for the shell, as far as they can be told without running it.

/// Stands for what only the shell knows: a variable, the output of a command.
pub(super) const UNKNOWN: char = '\u{1}';

/// Words before a command that are not the command.
const KEYWORDS: &[&str] = &["if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time"];

/// Programs that hand on or put away what others print, and judge nothing of it.
const PASSERS: &[&str] = &[
    "cat", "column", "cp", "cut", "echo", "fold", "head", "less", "more", "mv", "nl", "printf", "rm", "sed",
    "sort", "tail", "tee", "tr", "ts", "uniq",
];

/// A program with its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) words: Vec<String>,
    /// Its output is looked at by something else, so it is what is checked and not the check.
    pub(super) is_observed: bool,
    /// Variables that are set with it or by it.
    pub(super) sets: Vec<(String, String)>,
    /// Files that it reads from the shell.
    pub(super) inputs: Vec<String>,
    /// Files that its output goes to.
    outputs: Vec<String>,
    is_piped: bool,
    /// It stands within another command.
    is_inner: bool,
}

impl Command {
    pub(super) fn of(words: &[String]) -> Self {
        Self { words: words.to_vec(), ..Self::default() }
    }

    /// Says whether something is settled by what it reads.
    fn judges(&self) -> bool {
        let name = self.words.first().map(|program| program.rsplit('/').next().unwrap_or(program));
        self.is_observed || !name.is_some_and(|name| PASSERS.contains(&name))
    }

    fn reads(&self, file: &String) -> bool {
        self.words.contains(file) || self.inputs.contains(file)
    }
}

/// Returns the commands of a text, in their order.
pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut reader = Reader::of(text);
    reader.read();
    let mut found = reader.found;
    // From the last on, for whoever passes something on is looked at where the next one is.
    for index in (0..found.len()).rev() {
        let (head, later) = found.split_at_mut(index + 1);
        let Some(command) = head.last_mut() else { break };
        let next = later.iter().find(|next| !next.is_inner);
        let is_taken = |file: &String| later.iter().any(|other| other.reads(file) && other.judges());
        command.is_observed |= command.is_piped && next.is_some_and(Command::judges);
        command.is_observed |= command.outputs.iter().any(is_taken);
    }
    found
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    found: Vec<Command>,
    command: Command,
    word: Option<String>,
    /// The next word says where output or input goes, and whether that is output.
    redirect: Option<bool>,
    /// Where a text ends that stands in the script for a file.
    heredoc: Option<String>,
}

impl<'t> Reader<'t> {
    fn of(text: &'t str) -> Self {
        let rest = text.chars().peekable();
        Self {
            rest,
            found: Vec::new(),
            command: Command::default(),
            word: None,
            redirect: None,
            heredoc: None,
        }
    }

    fn read(&mut self) {
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => match self.rest.next() {
                    Some('\n') | None => {}
                    Some(plain) => self.push(plain),
                },
                '\'' => {
                    self.word.get_or_insert_default();
                    while let Some(plain) = self.rest.next().filter(|next| *next != '\'') {
                        self.push(plain);
                    }
                }
                '"' => self.quoted(),
                '$' => self.expansion(),
                '`' => {
                    let inner: String = self.rest.by_ref().take_while(|next| *next != '`').collect();
                    self.observed(&inner);
                }
                '#' if self.word.is_none() => while self.rest.next_if(|next| *next != '\n').is_some() {},
                '<' | '>' => self.redirected(character),
                '\n' => {
                    self.end(false);
                    self.skip_heredoc();
                }
                '|' if self.rest.next_if_eq(&'|').is_none() => self.end(true),
                ';' | '&' | '|' | '(' | ')' => self.end(false),
                blank if blank.is_whitespace() => self.end_word(),
                plain => self.push(plain),
            }
        }
        self.end(false);
    }

    fn push(&mut self, character: char) {
        self.word.get_or_insert_default().push(character);
    }

    fn quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(character) = self.rest.next() {
            match character {
                '"' => return,
                '\\' => {
                    if let Some(plain) = self.rest.next() {
                        self.push(plain);
                    }
                }
                '$' => self.expansion(),
                plain => self.push(plain),
            }
        }
    }

    fn expansion(&mut self) {
        self.push(UNKNOWN);
        let closing = match self.rest.peek() {
            Some('(') => ')',
            Some('{') => '}',
            _ => {
                let is_name =
                    |next: &char| next.is_alphanumeric() || matches!(next, '_' | '@' | '*' | '?' | '#');
                while self.rest.next_if(is_name).is_some() {}
                return;
            }
        };
        let opening = self.rest.next();
        let (mut depth, mut inner) = (1, String::new());
        for next in self.rest.by_ref() {
            depth += i32::from(Some(next) == opening) - i32::from(next == closing);
            if depth == 0 {
                break;
            }
            inner.push(next);
        }
        if closing == ')' {
            self.observed(&inner);
        }
    }

    /// A command whose output is taken.
    fn observed(&mut self, text: &str) {
        self.word.get_or_insert_default();
        let inner = commands(text).into_iter().map(|command| Command {
            is_observed: true,
            is_inner: true,
            ..command
        });
        self.found.extend(inner);
    }

    fn redirected(&mut self, character: char) {
        // The number before it is a channel.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|digit| digit.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if character == '<' && self.rest.next_if_eq(&'<').is_some() {
            self.rest.next_if_eq(&'-');
            let is_mark = |next: &char| next.is_alphanumeric() || matches!(next, '_' | '\'' | '"');
            let mark: String = std::iter::from_fn(|| self.rest.next_if(is_mark)).collect();
            self.heredoc = Some(mark.trim_matches(['\'', '"']).to_owned());
            return;
        }
        self.rest.next_if(|next| matches!(next, '>' | '&' | '|'));
        self.redirect = Some(character == '>');
    }

    fn skip_heredoc(&mut self) {
        let Some(mark) = self.heredoc.take() else { return };
        loop {
            let line: String = self.rest.by_ref().take_while(|next| *next != '\n').collect();
            if line.trim() == mark || self.rest.peek().is_none() {
                return;
            }
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if let Some(is_output) = self.redirect.take() {
            let is_nowhere = word == "/dev/null" || word.chars().all(|digit| digit.is_ascii_digit());
            match is_output {
                _ if is_nowhere => {}
                true => self.command.outputs.push(word),
                false => self.command.inputs.push(word),
            }
            return;
        }
        let is_first = self.command.words.is_empty();
        let set = word.split_once('=').filter(|(name, _)| {
            !name.is_empty() && name.chars().all(|next| next.is_alphanumeric() || next == '_')
        });
        let is_export = self.command.words.first().is_some_and(|first| first == "export");
        match set.filter(|_| is_first || is_export) {
            Some((name, value)) => self.command.sets.push((name.to_owned(), value.to_owned())),
            None if is_first && KEYWORDS.contains(&word.as_str()) => {}
            None => self.command.words.push(word),
        }
    }

    fn end(&mut self, is_piped: bool) {
        self.end_word();
        self.redirect = None;
        let mut command = std::mem::take(&mut self.command);
        command.is_piped = is_piped;
        if !command.words.is_empty() || !command.sets.is_empty() || !command.inputs.is_empty() {
            self.found.push(command);
        }
    }
}
