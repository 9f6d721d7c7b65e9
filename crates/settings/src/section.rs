//! One declaration per component: the struct, its defaults and its lines in the
//! reference page come from the same text.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::Secret;

/// One setting, as the loader checks it and the reference page shows it.
pub(crate) struct Key {
    /// The table of the file that has it; empty for the top of the file.
    pub(crate) section: &'static str,
    /// Its name in that table.
    pub(crate) name: &'static str,
    /// The doc comment of the field.
    pub(crate) about: &'static [&'static str],
    pub(crate) kind: Kind,
    /// The numbers allowed, ends included.
    pub(crate) range: Option<RangeInclusive<u64>>,
    /// The default as it would be written in the file; empty when there is none.
    pub(crate) default: String,
}

impl Key {
    /// `section.name`.
    pub(crate) fn path(&self) -> String {
        if self.section.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}.{}", self.section, self.name)
        }
    }
}

/// What a value may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Switch,
    Number,
    Text,
    Path,
    Address,
    Secret,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl Kind {
    /// For people: "`x` must be …".
    pub(crate) fn name(self) -> String {
        let name = match self {
            Self::Switch => "true or false",
            Self::Number => "a whole number",
            Self::Text => "text in quotes, not empty and without control characters",
            Self::Path => "a path in quotes, not empty and without control characters",
            Self::Address => "an IP address and a port in quotes, such as \"127.0.0.1:9464\"",
            Self::Secret => "text in quotes, not empty and without control characters",
            Self::Choice(words) => return format!("one of \"{}\"", words.join("\", \"")),
        };
        name.to_owned()
    }
}

/// A type that a setting can have.
pub(crate) trait Value {
    const KIND: Kind;
    /// As it would be written in the file; empty when there is no value.
    fn show(&self) -> String;
}

impl Value for bool {
    const KIND: Kind = Kind::Switch;
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for u32 {
    const KIND: Kind = Kind::Number;
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for Option<u32> {
    const KIND: Kind = Kind::Number;
    fn show(&self) -> String {
        self.map(|number| number.to_string()).unwrap_or_default()
    }
}

impl Value for u64 {
    const KIND: Kind = Kind::Number;
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for usize {
    const KIND: Kind = Kind::Number;
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Value for String {
    const KIND: Kind = Kind::Text;
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

impl Value for Option<String> {
    const KIND: Kind = Kind::Text;
    fn show(&self) -> String {
        self.as_ref().map(Value::show).unwrap_or_default()
    }
}

impl Value for PathBuf {
    const KIND: Kind = Kind::Path;
    fn show(&self) -> String {
        format!("{:?}", Path::new(self))
    }
}

impl Value for Option<PathBuf> {
    const KIND: Kind = Kind::Path;
    fn show(&self) -> String {
        self.as_ref().map(Value::show).unwrap_or_default()
    }
}

impl Value for Option<SocketAddr> {
    const KIND: Kind = Kind::Address;
    fn show(&self) -> String {
        self.map(|address| format!("\"{address}\""))
            .unwrap_or_default()
    }
}

impl Value for Option<Secret> {
    const KIND: Kind = Kind::Secret;
    fn show(&self) -> String {
        String::new()
    }
}

/// Declares the settings of one component:
///
/// ```text
/// section! {
///     /// What the component is.
///     Buffer "buffer" {
///         /// What the setting does, its unit, its source.
///         window_count: usize = 40, 1..=10_000;
///     }
/// }
/// ```
macro_rules! section {
    (
        $(#[doc = $about:literal])+
        $struct:ident $section:literal {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty = $default:expr $(, $range:expr)?;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $struct {
            $( $(#[doc = $doc])+ pub $name: $type, )+
        }

        impl Default for $struct {
            fn default() -> Self {
                Self { $( $name: $default, )+ }
            }
        }

        impl $struct {
            pub(crate) const SECTION: &'static str = $section;
            pub(crate) const ABOUT: &'static [&'static str] = &[$($about),+];

            pub(crate) fn keys() -> Vec<$crate::section::Key> {
                let default = Self::default();
                vec![$( $crate::section::Key {
                    section: $section,
                    name: stringify!($name),
                    about: &[$($doc),+],
                    kind: <$type as $crate::section::Value>::KIND,
                    range: $crate::section::section!(@range $($range)?),
                    default: $crate::section::Value::show(&default.$name),
                }, )+]
            }
        }
    };
    (@range) => { None };
    (@range $range:expr) => { Some($range) };
}

pub(crate) use section;
