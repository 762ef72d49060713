//! Messages on a stream of bytes: each behind its length in 4 bytes, big-endian.
//!
//! A transport that keeps messages apart by itself, as gRPC does, needs none of this.

/// A message behind its length; `None` for one that no length can say.
#[must_use]
pub fn frame(message: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(message.len()).ok()?;
    let mut framed = Vec::with_capacity(message.len() + 4);
    framed.extend_from_slice(&length.to_be_bytes());
    framed.extend_from_slice(message);
    Some(framed)
}

/// Splits what comes over a stream into messages.
#[derive(Debug)]
pub struct Frames {
    buffer: Vec<u8>,
    /// Where the next message begins; what is before was taken.
    start: usize,
    max_message: usize,
}

/// A message of the stream is larger than a message may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// Its length as the stream says, in bytes.
    pub length: usize,
    /// The longest that is taken.
    pub limit: usize,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { length, limit } = self;
        write!(
            f,
            "a message of {length} bytes is over the limit of {limit}; send less, or raise max_message on both ends"
        )
    }
}

impl std::error::Error for TooLarge {}

impl Frames {
    /// A splitter that refuses messages of more bytes.
    #[must_use]
    pub const fn new(max_message: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, max_message }
    }

    /// Takes what came.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message; after a refusal the stream cannot be read any further.
    pub fn next_message(&mut self) -> Result<Option<Vec<u8>>, TooLarge> {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let Some((length, rest)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        if length > self.max_message {
            return Err(TooLarge { length, limit: self.max_message });
        }
        let Some(message) = rest.get(..length) else { return Ok(None) };
        let message = message.to_vec();
        self.start += 4 + length;
        Ok(Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_whole_however_the_stream_is_cut() {
        let messages: [&[u8]; 4] = [b"one", b"", &[7; 300], b"last"];
        let stream: Vec<u8> = messages.iter().flat_map(|message| frame(message).unwrap()).collect();
        for size in 1..=stream.len() {
            let mut frames = Frames::new(300);
            let mut arrived = Vec::new();
            for part in stream.chunks(size) {
                frames.push(part);
                while let Some(message) = frames.next_message().unwrap() {
                    arrived.push(message);
                }
            }
            assert_eq!(arrived, messages, "cut into parts of {size} bytes");
        }
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_its_message_comes() {
        let mut frames = Frames::new(300);
        frames.push(&[0xff; 4]);
        let refused = frames.next_message().unwrap_err();
        assert_eq!(refused, TooLarge { length: 0xffff_ffff, limit: 300 });
    }
}
