// Roles of a network's members, the least first.
//
//   volunteer   fetches for others; keeps nothing and has no place on the ring
//   member      keeps, crawls, and begins jobs up to the network's size
//   curator     besides sets rules and takes down, in its sites (in all, where none are named)
//   admin       besides names and revokes others, and says what holds for the whole network
//
// An invitation carries a role, which the network's key has signed; grants and revocations (src/network/roles/) change it later.
// Who asks "which role has this peer now" asks the member directory: `MemberDirectory.roleOf`.

export const roles = ['volunteer', 'member', 'curator', 'admin'] as const
export type Role = (typeof roles)[number]

/** A role, with the sites of a curator: all, where none are named. */
export interface NamedRole {
  readonly role: Role
  readonly sites: readonly string[]
}

export const sitesMax = 200
export const siteCharsMax = 253

export function isRole(text: unknown): text is Role {
  return (roles as readonly unknown[]).includes(text)
}

export function rankOf(role: Role): number {
  return roles.indexOf(role)
}

/** False for who has none: it is not known, or was revoked. */
export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && rankOf(role) >= rankOf(least)
}
