// One announcement of every kind, as an honest member says it: what the hostile one spoils. A kind without one fails the test
// beside this, so that no kind is left out of the attacks.

import { deflateSync } from 'node:zlib'
import { ruleName } from '../../src/model/jobs/site-rule.ts'
import { ringKeyToBytes } from '../../src/model/ring-key.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import type { UnsignedAnnouncement } from '../../src/network/announcements/announcement.ts'
import type { Identity } from '../../src/network/announcements/announcement-kind.ts'
import {
  nameOf,
  nameOfSeed,
  startedBy,
  writeJobAnnouncement,
} from '../../src/network/jobs/job-announcement.ts'
import { here } from '../../src/network/membership/presence/presence-announcements.ts'
import { writeRelease } from '../../src/network/releases/release.ts'
import {
  type RoleAct,
  readRoleStatement,
  writeRoleStatement,
} from '../../src/network/roles/role-statement.ts'
import { writeRuleAnnouncement } from '../../src/network/rules/rule-announcement.ts'
import { vouchValue } from '../../src/network/screening/vouch-announcement.ts'
import { placementValue } from '../../src/network/site-placement/placement-announcement.ts'
import { boundValue, nameOfBound } from '../../src/network/site-splitting/split-announcement.ts'
import { takedownName, writeTakedown } from '../../src/network/takedowns/takedown-announcement.ts'
import type { SigningKey } from '../../src/proof/ed25519.ts'
import { encodeHead, signHead } from '../../src/proof/log/log-head.ts'
import { hashBytes } from '../../src/proof/merkle-tree.ts'

const release = { version: '99.0.0', integrity: `sha512-${'A'.repeat(86)}==` }

export interface Announcer extends Identity {
  /** The key that is its name; simulated members have none. */
  readonly key?: SigningKey | undefined
  /** Its ticket, and what proves it. */
  readonly ticket?: Uint8Array | undefined
}

/** About this URL, at this time. */
export function sampleAnnouncements(
  announcer: Announcer,
  url: string,
  nowMs: number,
): UnsignedAnnouncement[] {
  const { self, key, ticket } = announcer
  const { href, ringKey, host: site } = parseUrl(url)
  const options = { seeds: [href], scope: 'host', budgets: { pages: 10 } } as const
  const job = { options, run: 0, state: 'running', createdAtMs: nowMs, isSeeded: false } as const
  const id = nameOf(options)
  const rule = { target: { kind: 'site', site }, delayMs: 1_000, isRemoved: false } as const
  const takedown = {
    target: { kind: 'prefix', url: `${href}x` },
    reason: 'asked for',
    state: 'taken',
  } as const
  const schedule = {
    ...{
      id: '0123456789',
      request: { seeds: [href], scope: 'host', budgets: {} },
      times: { kind: 'every', everyMs: 86_400_000 },
    },
    ...{ isPaused: true, createdAtMs: nowMs, runs: [{ atMs: nowMs, jobId: id }] },
  }
  const visit = { target: rule.target, state: 'every', bounds: { minMs: 60_000, maxMs: 86_400_000 } }
  const bound = Buffer.concat([ringKeyToBytes(ringKey), Buffer.alloc(30, 1)])
  const said: [kind: string, name: string, value: Uint8Array][] = [
    ['job', id, writeJobAnnouncement({ ...job, startedBy: startedBy(announcer, job) })],
    ['seed', nameOfSeed({ jobId: id, href }), new Uint8Array()],
    ['takedown', takedownName(takedown.target), writeTakedown(takedown)],
    ['peer', self, here],
    ['left', self, Buffer.from('back')],
    ['split', nameOfBound(bound), boundValue({ isGone: false })],
    ['visit', ruleName(rule.target), Buffer.from(JSON.stringify(visit))],
    ['rule', ruleName(rule.target), writeRuleAnnouncement(rule)],
    ['placement', site, placementValue(self)],
    ['vouch', `${self}x`, vouchValue(true)],
    ['release', 'release', writeRelease({ ...release, signature: 'A'.repeat(86) })],
    ['schedule', schedule.id, deflateSync(JSON.stringify(schedule))],
    ...roleSamples(self, nowMs),
  ]
  if (ticket !== undefined) said.push(['ticket', self, ticket])
  if (key !== undefined)
    said.push(['log-head', self, encodeHead(signHead(key, 3, Buffer.alloc(hashBytes, 1), nowMs))])
  return said.map(([kind, name, value]) => ({ kind, name, value, version: nowMs, peer: self }))
}

/** By a grant that nobody has: well formed, and of no effect until it is spoilt into one that has. */
function roleSamples(self: string, nowMs: number): [kind: string, name: string, value: Uint8Array][] {
  const [by, reason] = ['A'.repeat(22), 'for the attack']
  const acts: RoleAct[] = [
    { act: 'grant', peer: self, role: 'admin', sites: [], keeps: [by], reason },
    { act: 'revoke', peer: self, keeps: [], reason, shuts: { invitation: 'one', admitted: [self] } },
    { act: 'settings', threshold: 1, takedownSignatures: 1, takedownDelayMs: 0, jobPagesMax: 1 },
    { act: 'approve', statement: by },
    { act: 'overrule', ids: [by], reason },
  ]
  return acts.map((what) => {
    const value = writeRoleStatement({ after: [by], by, atMs: nowMs, what })
    const statement = readRoleStatement(self, value)
    return ['role', typeof statement === 'string' ? '' : statement.id, value]
  })
}
