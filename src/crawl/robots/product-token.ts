// Product token: the name by which robots.txt speaks to a crawler (RFC 9309, section 2.2.1).
//
// Only letters, `_` and `-` belong to it, and case does not count: `ExampleBot/1.2 (+https://…)` is `examplebot`.

/** Speaks to every crawler that no other group names. */
export const everyAgent = '*'

/** The token that a text starts with, in lower case; '' when it starts with none, which then names nobody. */
export function productTokenOf(text: string): string {
  return /^[a-z_-]*/i.exec(text.trimStart())![0].toLowerCase()
}

/** As on a user-agent line, where a star that stands alone is for everyone. */
export function agentOfLine(value: string): string {
  return /^\*(?:[ \t]|$)/.test(value) ? everyAgent : productTokenOf(value)
}
