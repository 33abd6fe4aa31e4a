use std::fmt;

use serde::{Deserialize, Serialize};

/// A number as it stands on the wire, integer or fraction, every integer of 64 bits exactly.
///
/// A whole `f64` is written as an integer; what is no number (NaN, the infinities) becomes `0`, as JSON has none of
/// them.
///
/// ```
/// use mcpeer::model::Number;
///
/// assert_eq!(Number::from(50.0), Number::from(50));
/// assert_eq!(Number::from(0.5).as_f64(), 0.5);
/// assert_eq!(serde_json::to_string(&Number::from(u64::MAX))?, "18446744073709551615");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Number(serde_json::Number);

impl Number {
    /// Gives the nearest `f64`.
    ///
    /// ```
    /// # use mcpeer::model::Number;
    /// assert_eq!(Number::from(7).as_f64(), 7.0);
    /// ```
    pub fn as_f64(&self) -> f64 {
        self.0.as_f64().unwrap_or(0.0)
    }

    /// Gives the integer, where it is one of 64 bits.
    ///
    /// ```
    /// # use mcpeer::model::Number;
    /// assert_eq!(Number::from(7).as_i64(), Some(7));
    /// assert_eq!(Number::from(7.5).as_i64(), None);
    /// ```
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }
}

/// Up to here every integer has an `f64` of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() <= EXACT {
            return Self::from(value as i64);
        }
        Self(serde_json::Number::from_f64(value).unwrap_or_else(|| 0.into()))
    }
}

impl From<f32> for Number {
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {
        $(impl From<$integer> for Number {
            fn from(value: $integer) -> Self {
                Self(value.into())
            }
        })*
    };
}

from_integers!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
