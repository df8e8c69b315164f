// Attacks that still do harm, by name. The tests do not run them; docs/security.md says so. To be empty.

export const open: ReadonlySet<string> = new Set([])
