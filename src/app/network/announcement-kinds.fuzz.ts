// An announcement comes from any member: whatever it says, it is sound or refused, and what is sound can be written, told and
// read again.

import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { signedAnnouncement, type UnsignedAnnouncement } from '../../network/announcements/announcement.ts'
import { AnnouncementKinds } from '../../network/announcements/announcement-kind.ts'
import { nameOf } from '../../network/jobs/job-announcement.ts'
import { takedownName } from '../../network/takedowns/takedown-announcement.ts'
import { announcementKinds } from './announcement-kinds.ts'

const kinds = new AnnouncementKinds(announcementKinds)
const peer = fc.oneof(fc.constantFrom('one', 'other'), fc.string())
const url = fc.oneof(fc.webUrl(), fc.string())
const any = fc.jsonValue()

const target = fc.oneof(
  any,
  fc.record({ kind: fc.constantFrom('url', 'prefix', 'all'), url: fc.oneof(url, any) }),
  fc.record({ kind: fc.constant('site'), site: fc.oneof(fc.domain(), any) }),
)
const takedown = fc.record(
  {
    target,
    reason: fc.oneof(fc.string(), any),
    state: fc.constantFrom('taken', 'released', ''),
    onBehalfOf: peer,
  },
  { requiredKeys: ['target', 'reason', 'state'] },
)
const options = fc.record(
  {
    seeds: fc.oneof(fc.array(url), any),
    scope: fc.constantFrom('page', 'site', 'any', 5),
    budgets: fc.oneof(fc.constant({}), fc.record({ pages: fc.oneof(fc.nat(), any) }), any),
    include: fc.oneof(fc.array(fc.string()), any),
    depth: fc.oneof(fc.nat(), any),
  },
  { requiredKeys: ['seeds', 'scope', 'budgets'] },
)
const job = fc.record(
  {
    options: fc.oneof(options, any),
    run: fc.oneof(fc.nat(), any),
    state: fc.constantFrom('running', 'paused', 'done', 'x'),
    createdAtMs: fc.oneof(fc.nat(), any),
    isSeeded: fc.oneof(fc.boolean(), any),
    startedBy: fc.oneof(fc.record({ peer, signature: fc.base64String() }), any),
    departed: fc.oneof(fc.dictionary(fc.string(), any), any),
    absent: fc.oneof(fc.array(fc.string()), any),
    sums: any,
  },
  { requiredKeys: ['options', 'run', 'state', 'createdAtMs', 'isSeeded', 'startedBy'] },
)

const value = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc.constantFrom('here', 'away', 'gone', 'back', '').map((word) => Buffer.from(word)),
  takedown.map((word) => Buffer.from(JSON.stringify(word))),
  job.map((each) => deflateSync(JSON.stringify(each))),
)

const announcement = fc.record({
  kind: fc.constantFrom(...announcementKinds.map(({ kind }) => kind), 'other'),
  name: fc.oneof(
    peer,
    url.map((href) => `0123456789 ${href}`),
    fc.base64String({ minLength: 30 }),
  ),
  value,
  version: fc.nat(),
  peer,
})

export const properties = [
  {
    name: 'an announcement is sound or refused',
    property: fc.property(announcement, (each) => isSoundOrRefused(each)),
  },
  {
    name: 'a takedown by its right name is sound or refused',
    property: fc.property(takedown, peer, (word, author) => {
      const name = nameFrom(() => takedownName(word.target as never))
      isSoundOrRefused({
        kind: 'takedown',
        name,
        value: Buffer.from(JSON.stringify(word)),
        version: 1,
        peer: author,
      })
    }),
  },
  {
    name: 'a job by its right name is sound or refused',
    property: fc.property(job, peer, (each, author) => {
      const name = nameFrom(() => nameOf(each.options as never))
      isSoundOrRefused({
        kind: 'job',
        name,
        value: deflateSync(JSON.stringify(each)),
        version: 1,
        peer: author,
      })
    }),
  },
]

function nameFrom(make: () => string): string {
  try {
    return make()
  } catch {
    return 'none'
  }
}

function isSoundOrRefused(unsigned: UnsignedAnnouncement): void {
  const fault = kinds.fault(unsigned)
  if (fault !== undefined) {
    assert(!fault.startsWith('it cannot be checked'), fault)
    return
  }
  const sound = { ...unsigned, signature: new Uint8Array(64) }
  kinds.keyOf(sound)
  kinds.charge(sound)
  assert.deepEqual(kinds.fault(signedAnnouncement.decode(signedAnnouncement.encode(sound))), undefined)
}
