// A bound at which a large site is split, as a peer sees it: the name is the bound's key, the value whether it stands. Each author's
// word stands for itself; what follows from them: replica/split-sites/split-votes.ts.

import { ringKeyBytes } from '../../model/ring-key.ts'
import type { UnsignedAnnouncement } from '../announcements/announcement.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import type { Bound } from '../replication/split-sites/split-sites.ts'
import { rosterKeyBytesMax } from '../replication/sums/roster.ts'

const here = Buffer.from('here')
const gone = Buffer.from('gone')

export const splitKind: AnnouncementKind = {
  kind: 'split',
  nameBytesMax: 2_560,
  valueBytesMax: 4,
  // A network of a billion captures has two thousand bounds, of which a peer proposes or confirms those of the parts that it keeps.
  countMax: 256,
  bytesMax: 1024 * 1024,
  changes: { burst: 256, perMinute: 30 },
  slot: ({ peer }) => peer,
  fault: ({ name, value }) => {
    const key = Buffer.from(name, 'base64url')
    if (nameOfBound(key) !== name) return 'its name is no key'
    if (key.length <= ringKeyBytes || key.length > rosterKeyBytesMax)
      return 'its name is the key of no capture'
    return [here, gone].some((word) => word.equals(value)) ? undefined : 'it says neither here nor gone'
  },
}

export function nameOfBound(key: Uint8Array): string {
  return Buffer.from(key).toString('base64url')
}

export function boundValue({ isGone }: Pick<Bound, 'isGone'>): Uint8Array {
  return isGone ? gone : here
}

export function boundOf({ name, value }: Pick<UnsignedAnnouncement, 'name' | 'value'>): Bound {
  return { key: Buffer.from(name, 'base64url'), isGone: gone.equals(value) }
}
