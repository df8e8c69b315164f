// Ids of the records that the store makes: UUIDs of version 7 (RFC 9562), the time first.
//
// Why not random ones: the index is ordered by id, too. Ids that come in order fill its pages from left to right, so that
// they are full and few of them are touched by a commit; random ids leave pages a third empty and touch one each.

import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

const timeDigits = 12

export function newRecordId({ clock, random }: { clock: Clock; random: Random }): string {
  const time = Math.max(0, Math.floor(clock.nowMs()))
    .toString(16)
    .padStart(timeDigits, '0')
    .slice(-timeDigits)
  const chance = random.uuid()
  return `${time.slice(0, 8)}-${time.slice(8)}-7${chance.slice(15)}`
}
