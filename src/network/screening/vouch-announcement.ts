// `vouch`: a member's word that another, which is on probation, was there and showed its copies for as long as it had to; or that it
// does not say so any more. Each author has a slot of its own for each peer. Whose words count is for vouches.ts.

import { isName } from '../../formats/wire/message-bytes.ts'
import type { UnsignedAnnouncement } from '../announcements/announcement.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'

const peerBytesMax = 200
const [withdrawn, vouched] = [Buffer.of(0), Buffer.of(1)]

export const vouchKind: AnnouncementKind = {
  kind: 'vouch',
  slot: ({ peer: author }) => author,
  nameBytesMax: peerBytesMax,
  valueBytesMax: 1,
  // Newcomers that come to lie near one peer, over the years.
  countMax: 2_000,
  bytesMax: 1024 * 1024,
  changes: { burst: 60, perMinute: 2 },
  fault: ({ name, value, peer: author }) => {
    if (!isName(name, peerBytesMax) || name === '') return 'it names no peer'
    if (name === author) return 'nobody vouches for itself'
    return value.length === 1 && value[0]! <= 1 ? undefined : 'it says neither yes nor no'
  },
  adopt: () => undefined,
}

export function vouchValue(isVouched: boolean): Uint8Array {
  return isVouched ? vouched : withdrawn
}

export function isVouched({ value }: Pick<UnsignedAnnouncement, 'value'>): boolean {
  return value[0] === 1
}
