//! Keyed digests of inputs: with the key they prove that an input was this one, and reveal nothing else.

use sha2::{Digest as _, Sha256};

use hookweave_machine::hex::hex;

/// The length of a block of SHA-256.
const BLOCK: usize = 64;

/// How many hexadecimal digits of a digest are kept: 128 bits.
const DIGITS: usize = 32;

/// The key of a log's digests. Without it, likely inputs cannot be tried against a digest.
#[derive(Clone)]
pub(super) struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// A key of a program's own: digests of different processes can be compared then.
    pub(super) fn of(secret: &[u8]) -> Self {
        // HMAC as of RFC 2104, with the two halves of the key taken in once.
        let mut block = [0_u8; BLOCK];
        let long;
        let bytes = if secret.len() > BLOCK {
            long = Sha256::digest(secret);
            long.as_slice()
        } else {
            secret
        };
        for (to, from) in block.iter_mut().zip(bytes) {
            *to = *from;
        }
        let padded = |pad: u8| {
            let mut hasher = Sha256::new();
            hasher.update(block.map(|byte| byte ^ pad));
            hasher
        };
        Self { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// A random key, lost when the process ends.
    pub(super) fn random() -> Self {
        Self::of(format!("{}{}", hookweave_clock::new_id(), hookweave_clock::new_id()).as_bytes())
    }

    /// The digest of some parts, none of which can pass for a part of another.
    pub(super) fn digest(&self, parts: impl Iterator<Item = impl AsRef<str>>) -> String {
        let mut inner = self.inner.clone();
        for part in parts {
            let part = part.as_ref();
            inner.update((part.len() as u64).to_be_bytes());
            inner.update(part.as_bytes());
        }
        let mut outer = self.outer.clone();
        outer.update(inner.finalize());
        hex(outer.finalize().get(..DIGITS / 2).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_hmac_of_the_standard() {
        // RFC 4231, test cases 2 and 6.
        let of = |key: Key, text: &str| {
            let mut inner = key.inner.clone();
            inner.update(text.as_bytes());
            let mut outer = key.outer.clone();
            outer.update(inner.finalize());
            hex(&outer.finalize())
        };
        assert_eq!(
            of(Key::of(b"Jefe"), "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        // A key longer than a block is hashed first.
        assert_eq!(
            of(Key::of(&[0xaa; 131]), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn parts_keep_their_bounds_and_keys_their_digests() {
        let (one, other) = (Key::of(b"one"), Key::of(b"other"));
        assert_eq!(one.digest(["ab", "c"].into_iter()), one.digest(["ab", "c"].into_iter()));
        assert_ne!(one.digest(["ab", "c"].into_iter()), one.digest(["a", "bc"].into_iter()));
        assert_ne!(one.digest(["ab"].into_iter()), other.digest(["ab"].into_iter()));
        assert_ne!(Key::random().digest(["ab"].into_iter()), Key::random().digest(["ab"].into_iter()));
        assert_eq!(one.digest([""; 0].into_iter()).len(), DIGITS);
    }
}
