// Enable hook audit logging
client.setHookAuditLevel("verbose");

// Events logged:
// - Hook registered/unregistered
// - Hook execution started/completed
// - Hook blocked an operation
// - Hook modified inputs
