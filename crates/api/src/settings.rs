//! The settings that a process runs with.

use serde::Serialize;
use threadlore_node::Host;
use threadlore_settings::{KeyReference, SectionReference, sections};
use utoipa::ToSchema;

use crate::refused::Refused;

/// What a process runs with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProcessSettings {
    /// The version of the process that answers.
    pub version: &'static str,
    /// Its roles.
    pub roles: Vec<&'static str>,
    /// The tables of its settings.
    pub sections: Vec<SettingsSection>,
}

/// A table of the settings.
#[derive(Debug, Serialize, ToSchema)]
pub struct SettingsSection {
    /// Its name; empty for what stands before the first table of the file.
    pub name: &'static str,
    /// What it is for.
    pub about: String,
    /// Its settings.
    pub settings: Vec<Setting>,
}

/// A setting.
#[derive(Debug, Serialize, ToSchema)]
pub struct Setting {
    /// Its name in its table.
    pub key: &'static str,
    /// Its value as it would be written in the file, if it has one; `"(secret)"` for a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Its default, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether the value is the default.
    pub is_default: bool,
    /// What it may be.
    pub allowed: String,
    /// What it means.
    pub meaning: String,
}

impl From<KeyReference> for Setting {
    fn from(of: KeyReference) -> Self {
        Self {
            key: of.key,
            is_default: of.set.is_none(),
            value: of.set.or_else(|| of.default.clone()),
            default: of.default,
            allowed: of.value,
            meaning: of.meaning,
        }
    }
}

/// What a process runs with.
pub(crate) fn settings(host: &Host) -> Result<ProcessSettings, Refused> {
    let section = |of: SectionReference| SettingsSection {
        name: of.name,
        about: of.about,
        settings: of.keys.into_iter().map(Setting::from).collect(),
    };
    let all = sections(&host.node.settings).map_err(anyhow::Error::from)?;
    Ok(ProcessSettings {
        version: env!("CARGO_PKG_VERSION"),
        roles: host.roles().iter().map(|role| role.name()).collect(),
        sections: all.into_iter().map(section).collect(),
    })
}
