//! What a program printed, as a document of the log: bounded, without secrets, and with a mark where something was left out.

use super::DeskError;
use super::paper::Paper;
use crate::supervise::Output;

/// Most bytes of what one program printed that are kept.
const PRINTED_BYTES_MAX: usize = 256 * 1024;

/// Returns what was printed as a paper; nothing where nothing was.
pub(super) fn paper(id: &str, output: &Output) -> Result<Option<Paper>, DeskError> {
    match output.bytes.is_empty() {
        true => Ok(None),
        false => Paper::of(id, text(output, PRINTED_BYTES_MAX).into_bytes()).map(Some),
    }
}

/// The beginning says what was run, the end how it went; of more than `bytes_max`, the middle goes.
fn text(output: &Output, bytes_max: usize) -> String {
    let bytes = &output.bytes;
    let over = bytes.len().saturating_sub(bytes_max);
    let said = match over {
        0 => String::from_utf8_lossy(bytes).into_owned(),
        _ => {
            let (first, last) = (&bytes[..bytes_max / 2], &bytes[bytes.len() - bytes_max / 2..]);
            let (first, last) = (String::from_utf8_lossy(first), String::from_utf8_lossy(last));
            format!("{first}{}{last}", Output::mark(left_out(output, over)))
        }
    };
    crate::secret::mask(&said).into_owned()
}

/// What was left out before stood in the middle, under a mark that goes with it.
fn left_out(output: &Output, over: usize) -> u64 {
    let before = output.left_out_bytes;
    let mark = if before > 0 { Output::mark(before).len() } else { 0 };
    before.saturating_add(over.saturating_sub(mark) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], bytes_max: usize) -> String {
        super::text(&Output { bytes: bytes.to_vec(), left_out_bytes: 0 }, bytes_max)
    }

    #[test]
    fn what_was_left_out_twice_is_counted_once() {
        let ends = "x".repeat(500);
        let bytes = format!("{ends}{}{ends}", Output::mark(7_000)).into_bytes();
        let kept = super::text(&Output { bytes, left_out_bytes: 7_000 }, 100);
        assert_eq!(kept, format!("{}{}{}", &ends[..50], Output::mark(7_900), &ends[..50]));
    }

    #[test]
    fn the_middle_of_too_much_is_left_out_with_a_mark_and_secrets_are_masked() {
        assert_eq!(text(b"all of it\n", 100), "all of it\n");
        let long = format!("first {} last", "x".repeat(1000));
        let kept = text(long.as_bytes(), 100);
        assert!(kept.starts_with("first ") && kept.ends_with(" last"), "{kept}");
        assert!(kept.contains("[… 911 bytes left out …]"), "{kept}");
        let secret = "AKIAIOSFODNN7QRSTUVW";
        assert!(!text(format!("key {secret}\n").as_bytes(), 100).contains(secret));
    }

    #[test]
    fn nothing_printed_is_no_document() {
        assert!(paper("output-1", &Output::default()).is_ok_and(|paper| paper.is_none()));
    }
}
