// Announcements of presence: `peer` (here, or away with nothing left to hand over), by each peer about itself only, and `left`
// (gone for good, or back), by each about itself, and by others about a peer that they know to be dead.
//
// A peer's own announcement and those of others are in different slots: a lie about a peer cannot replace its own.

import { isName } from '../../../formats/wire/message-bytes.ts'
import type { AnnouncementKind } from '../../announcements/announcement-kind.ts'

export const here = Buffer.from('here')
export const away = Buffer.from('away')
export const gone = Buffer.from('gone')
export const back = Buffer.from('back')

const peerBytesMax = 200
const shared = { nameBytesMax: peerBytesMax, valueBytesMax: 8 }

export const peerKind: AnnouncementKind = {
  ...shared,
  kind: 'peer',
  countMax: 1,
  bytesMax: 1_000,
  changes: { burst: 60, perMinute: 2 },
  fault: ({ name, value, peer }) => {
    if (name !== peer) return 'only a peer itself says whether it is here'
    return isOneOf(value, here, away) ? undefined : 'it says neither here nor away'
  },
  adopt: (announcement, { self }) =>
    announcement.peer === self && announcement.name === self ? announcement : undefined,
}

export const leftKind: AnnouncementKind = {
  ...shared,
  kind: 'left',
  countMax: 257,
  bytesMax: 200_000,
  changes: { burst: 30, perMinute: 0.5 },
  fault: ({ name, value, peer }) => {
    if (!isName(name, peerBytesMax) || name === '') return 'it names no peer'
    if (name !== peer) return isOneOf(value, gone) ? undefined : 'only a peer itself says that it is back'
    return isOneOf(value, gone, back) ? undefined : 'it says neither gone nor back'
  },
  slot: ({ name, peer }) => (name === peer ? 'itself' : 'others'),
  adopt: (announcement, { self }) => {
    if (announcement.name === self && announcement.peer !== self) return undefined
    // Who has come back says so again when it starts.
    return isOneOf(announcement.value, gone) ? { ...announcement, peer: self } : undefined
  },
}

function isOneOf(value: Uint8Array, ...words: readonly Uint8Array[]): boolean {
  return words.some((word) => Buffer.compare(word, value) === 0)
}
