// Versions of the protocol between peers: a change that an older peer cannot follow makes a new one. A release speaks the newest and the
// one before, so that a network is upgraded peer by peer (docs/decisions/0123).

/** The oldest and the newest that is spoken. */
export type ProtocolVersions = readonly [oldest: number, newest: number]

/** 2: places come from tickets. */
export const protocolVersions: ProtocolVersions = [2, 2]

/** The newest that both speak. */
export function commonVersion(ours: ProtocolVersions, theirs: ProtocolVersions): number | undefined {
  const version = Math.min(ours[1], theirs[1])
  return version < Math.max(ours[0], theirs[0]) ? undefined : version
}
