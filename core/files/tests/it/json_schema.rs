//! JSON Schemas in tests.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::Value;

/// A compiled schema.
pub(crate) struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// Compiles a schema of draft 2020-12, which may refer to another one by that one's `$id`.
    pub(crate) fn new(schema: &Value, others: &[&Value]) -> Self {
        let mut compiler = Compiler::new();
        compiler.set_default_draft(Draft::V2020_12);
        for other in others {
            let id = other.get("$id").and_then(Value::as_str).expect("a schema that is referred to has an id");
            compiler.add_resource(id, (*other).clone()).expect("an id is a URL");
        }
        let own = "urn:hookweave:tested";
        compiler.add_resource(own, schema.clone()).expect("the name is a URL");
        let mut schemas = Schemas::new();
        let index = compiler.compile(own, &mut schemas).unwrap_or_else(|error| panic!("the schema is none: {error:#}"));
        Self { schemas, index }
    }

    /// What is wrong with a value, in words; nothing when it fits.
    pub(crate) fn mistakes(&self, value: &Value) -> Option<String> {
        self.schemas.validate(value, self.index).err().map(|error| format!("{error:#}"))
    }

    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.mistakes(value).is_none()
    }
}
