// What a member says that it has no role for: takedowns, rules, grants, revocations and settings, by rights that it makes up, takes from
// others or signs itself. All of it is well formed.

import { randomBytes } from 'node:crypto'
import { ruleName } from '../../../src/model/jobs/site-rule.ts'
import { inviteAnswer, inviteQuestion } from '../../../src/network/roles/invitation-messages.ts'
import type { RoleAct, RoleDraft, RoleStatement } from '../../../src/network/roles/role-statement.ts'
import { readRoleStatement, writeRoleStatement } from '../../../src/network/roles/role-statement.ts'
import { takedownName, writeTakedown } from '../../../src/network/takedowns/takedown-announcement.ts'
import type { ArchivePeer } from '../../network/archive-peer.ts'
import type { Announcement } from '../announcements.ts'
import type { Attack } from '../attack.ts'
import { type Stage, sleep } from '../stage.ts'

interface RolesAnswer {
  readonly peers: readonly { readonly peer: string; readonly role: string }[]
  readonly revoked: readonly string[]
  readonly settings: object
}

const heardMs = 1_500
const founderSeed = new Uint8Array(randomBytes(32))

async function asked<Answer>(peer: ArchivePeer, path: string): Promise<Answer> {
  const response = await fetch(new URL(path, peer.url))
  return (await response.json()) as Answer
}

/** The right that the peer where the network was made acts by: everybody can read it. */
async function foundersGrant({ honest, ids }: Stage): Promise<string> {
  const path = '/api/v1/network/announcements'
  const { announcements } = await asked<{
    announcements: { id?: string; act?: string; peer?: string; role?: string }[]
  }>(honest[0]!, path)
  const grant = announcements.find(
    ({ act, peer, role }) => act === 'grant' && peer === ids[0] && role === 'admin',
  )
  if (grant?.id === undefined) throw new Error('The first peer is no administrator')
  return grant.id
}

/** Said with no right, a made-up one, and that of an administrator, each also in that one's name. */
async function byEveryRight(
  stage: Stage,
  made: (by: string | undefined) => Announcement,
): Promise<Announcement[]> {
  const rights = [undefined, randomBytes(16).toString('base64url'), await foundersGrant(stage)]
  return rights.map(made).flatMap((said) => [said, { ...said, author: stage.ids[0]! }])
}

function roleAnnouncement(author: string, draft: Omit<RoleDraft, 'atMs'>, isSigned = false): Announcement {
  const founder = isSigned ? { networkId: 'ours', seed: founderSeed } : undefined
  const value = writeRoleStatement({ atMs: Date.now(), ...draft }, founder)
  const { id } = readRoleStatement(author, value) as RoleStatement
  return { kind: 'role', name: id, value: new Uint8Array(value) }
}

/** By every right, and with a signature of the network's key that is none. */
async function roleWords(stage: Stage, what: RoleAct): Promise<Announcement[]> {
  const words = await byEveryRight(stage, (by) =>
    roleAnnouncement(stage.hostileId, {
      after: by === undefined ? [] : [by],
      by: by ?? randomBytes(16).toString('base64url'),
      what,
    }),
  )
  return [...words, roleAnnouncement(stage.hostileId, { after: [], what }, true)]
}

async function say(stage: Stage, announcements: readonly Announcement[]): Promise<void> {
  await stage.hostile.do('announce', { peers: stage.ids, announcements })
  await sleep(heardMs)
}

/** Each honest peer on which roles are others than before. */
async function changedRoles(stage: Stage, before: readonly RolesAnswer[]): Promise<string[]> {
  const now = await rolesOf(stage)
  return stage.honest.flatMap(({ name }, index) =>
    isSame(before[index]!, now[index]!) ? [] : [`${name} has other roles now: ${JSON.stringify(now[index])}`],
  )
}

/** Members that are heard of meanwhile are what all invitations of this stage are for. */
function isSame(before: RolesAnswer, now: RolesAnswer): boolean {
  const roles = new Map(before.peers.map(({ peer, role }) => [peer, role]))
  const said = ({ revoked, settings }: RolesAnswer) => JSON.stringify([revoked, settings])
  const areKept = before.peers.every(({ peer }) => now.peers.some((one) => one.peer === peer))
  const areOld = now.peers.every(({ peer, role }) => (roles.get(peer) ?? 'member') === role)
  return areKept && areOld && said(before) === said(now)
}

function rolesOf({ honest }: Stage): Promise<RolesAnswer[]> {
  return Promise.all(honest.map((peer) => asked<RolesAnswer>(peer, '/api/v1/network/roles')))
}

function roleAttack(name: string, tries: string, act: (stage: Stage) => RoleAct): Attack {
  return {
    name: `role: ${name}`,
    tries,
    run: async (stage) => {
      const before = await rolesOf(stage)
      await say(stage, await roleWords(stage, act(stage)))
      return changedRoles(stage, before)
    },
  }
}

export const roleAttacks: readonly Attack[] = [
  {
    name: 'takedown: without the role',
    tries:
      'Takedowns of sites that are kept, with no right, a made-up one and an administrator’s, also in its name',
    run: async (stage) => {
      const hosts = new Set((await stage.someListed()).map(({ url }) => new URL(url).hostname))
      for (const site of hosts) {
        const target = { kind: 'site' as const, site }
        const words = await byEveryRight(stage, (by) => ({
          kind: 'takedown',
          name: takedownName(target),
          value: new Uint8Array(
            writeTakedown({ target, reason: 'mine', state: 'taken', ...(by !== undefined && { by }) }),
          ),
        }))
        await say(stage, words)
      }
      const hidden = await Promise.all(
        stage.honest.map(async (peer) => {
          const { takedowns } = await asked<{ takedowns: unknown[] }>(peer, '/api/v1/takedowns')
          return takedowns.length === 0 ? [] : [`${peer.name} hides ${JSON.stringify(takedowns)}`]
        }),
      )
      return hidden.flat()
    },
  },
  {
    name: 'rules: without the role',
    tries:
      'Rules by which nothing of the crawled sites would be fetched, with no right, a made-up one and an administrator’s',
    run: async (stage) => {
      const hosts = new Set((await stage.someListed()).map(({ url }) => new URL(url).hostname))
      for (const site of hosts) {
        const target = { kind: 'site' as const, site }
        const words = await byEveryRight(stage, (by) => ({
          kind: 'rule',
          name: ruleName(target),
          value: new Uint8Array(
            Buffer.from(
              JSON.stringify({ target, access: 'deny', isRemoved: false, ...(by !== undefined && { by }) }),
            ),
          ),
        }))
        await say(stage, words)
      }
      // That the crawl becomes complete all the same is looked at when all attacks are over.
      return []
    },
  },
  roleAttack(
    'grants itself',
    'It names itself administrator: by a made-up right, by an administrator’s, in its name, and with a false signature of the network’s key',
    ({ hostileId }) => ({ act: 'grant', peer: hostileId, role: 'admin', sites: [], keeps: [], reason: '' }),
  ),
  roleAttack('revokes others', 'It revokes the peer where the network was made', ({ ids }) => ({
    act: 'revoke',
    peer: ids[0]!,
    keeps: [],
    reason: 'mine',
  })),
  roleAttack('settings', 'It sets that jobs have at most one page and takedowns need 16 signatures', () => ({
    act: 'settings',
    jobPagesMax: 1,
    takedownSignatures: 16,
  })),
  {
    name: 'role: invites',
    tries: 'It asks every peer for invitations of every role, as an administrator would',
    run: async ({ hostile, ids, honest }) => {
      const found: string[] = []
      for (const role of ['admin', 'curator', 'member', 'volunteer'] as const) {
        const question = inviteQuestion.encode({
          role,
          sites: [],
          uses: 100,
          expiresAtMs: undefined,
          addresses: [],
        })
        for (const [index, peer] of ids.entries()) {
          const bytes = await hostile.do('answerOf', {
            service: 'invitations',
            peer,
            message: Uint8Array.from(question),
          })
          if (bytes !== undefined && inviteAnswer.decode(bytes).kind === 'invited')
            found.push(`${honest[index]!.name} invites a ${role} for it`)
        }
      }
      return found
    },
  },
]
