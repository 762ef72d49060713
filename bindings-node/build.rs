//! Tells the linker how a Node add-on is linked on each system.

fn main() {
    napi_build::setup();
}
