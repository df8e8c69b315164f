// `npm run sim -- role-attacks`: whole peers, one of which says what it has no role for, in every way that messages allow: with no right, a
// made-up one, another's, one that has ended, in another's name, with another's signature, and old words again.
//
// Promise: after each attack every honest peer has the same roles, settings, takedowns, rules and members as before it, and shows what
// it showed.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../src/errors.ts'
import { ruleName } from '../../src/model/jobs/site-rule.ts'
import { type Announcement, statementOf } from '../../src/network/announcements/announcement.ts'
import { announcementsQuestion, fetchedAnnouncements } from '../../src/network/announcements/questions.ts'
import {
  type RoleAct,
  type RoleStatement,
  readRoleStatement,
  writeRoleStatement,
} from '../../src/network/roles/role-statement.ts'
import { takedownName, writeTakedown } from '../../src/network/takedowns/takedown-announcement.ts'
import { crawledNetwork } from '../peer/crawled-network.ts'
import type { WholeNetwork } from '../peer/whole-network.ts'
import type { Scenario } from '../scenario.ts'

const [home, second, third, hostile] = ['peer-0', 'peer-1', 'peer-2', 'peer-3'] as const
const honest = [home, second, third]
/** Longer than an announcement takes to all, and than the next comparison. */
const heardMs = 90_000
const askMs = 5_000

interface Said {
  readonly kind: string
  readonly name: string
  readonly value: Uint8Array
  /** Its own unless told. */
  readonly author?: string
}

interface RoleAttack {
  readonly name: string
  readonly tries: string
  /** What honest peers do before. */
  prepare?(stage: RoleStage): Promise<void>
  attack(stage: RoleStage): Promise<void>
}

class RoleStage {
  readonly network: WholeNetwork
  readonly sites: readonly string[]
  readonly #urls: readonly string[]
  /** The grant by which it was a curator, while it was. */
  curatorGrant = ''

  private constructor(network: WholeNetwork, urls: readonly string[]) {
    this.network = network
    this.#urls = urls
    this.sites = [...new Set(urls.map((url) => new URL(url).hostname))]
  }

  static async start(seed: string): Promise<RoleStage> {
    const size = { peers: 4, copies: 3, sites: 2, pages: 2, delayMs: 0 }
    const { network, sites } = await crawledNetwork({ seed, ...size })
    const stage = new RoleStage(network, sites.urls)
    await stage.byHome({ act: 'grant', peer: stage.idOf(hostile), role: 'member' })
    return stage
  }

  idOf(name: string): string {
    return this.network.peer(name).home.ring!.peer
  }

  async byHome(said: Record<string, unknown>): Promise<void> {
    await this.network.post(home, '/api/v1/network/roles', said)
    await this.network.advance(heardMs)
  }

  /** The latest statement that made a peer this. */
  async grantOf(name: string, role: string): Promise<string> {
    const { announcements } = await this.network.ask<{ announcements: Record<string, string>[] }>(
      home,
      '/api/v1/network/announcements',
    )
    const grant = announcements.find(
      (each) => each.act === 'grant' && each.peer === this.idOf(name) && each.role === role,
    )
    assert(grant?.id !== undefined, `${name} was never made ${role}`)
    return grant.id
  }

  /** Tells every honest peer, signed by itself, whoever it is said to be by. */
  async say(said: readonly Said[]): Promise<void> {
    const { home: opened, platform } = this.network.peer(hostile)
    const { signer, peer: self } = opened.ring!
    const version = Math.round(platform.clock.nowMs())
    await this.tell(
      said.map(({ author, ...rest }) => {
        const unsigned = { ...rest, version, peer: author ?? self }
        return { ...unsigned, signature: signer.sign(statementOf(unsigned)) }
      }),
    )
  }

  async tell(announcements: readonly Announcement[]): Promise<void> {
    for (const announcement of announcements) {
      const question = announcementsQuestion.encode({ kind: 'tell', announcements: [announcement] })
      for (const name of honest) await this.#ask(name, question)
    }
  }

  /** All that a peer tells any member. */
  async heard(): Promise<Announcement[]> {
    const range = { from: new Uint8Array(), to: undefined }
    const answer = await this.#ask(home, announcementsQuestion.encode({ kind: 'fetch', range, ids: [] }))
    return answer === undefined ? [] : [...fetchedAnnouncements.decode(answer).announcements]
  }

  async #ask(name: string, question: Uint8Array): Promise<Uint8Array | undefined> {
    const calls = this.network.peer(hostile).home.ring!.services.service('notices')
    try {
      return await this.network.complete(calls.call(this.idOf(name), question, { deadlineMs: askMs }))
    } catch (error) {
      // It is not listened to: as good as refused.
      if (error instanceof PolyhistorError) return undefined
      throw error
    }
  }

  /** By no right, a made-up one, that of the peer where the network was made, and in that one's name. */
  async byEveryRight(made: (by: string | undefined) => Said): Promise<Said[]> {
    const rights = [undefined, 'a'.repeat(22), await this.grantOf(home, 'admin')]
    return rights.map(made).flatMap((said) => [said, { ...said, author: this.idOf(home) }])
  }

  roleWord(what: RoleAct, by: string | undefined, networkSeed?: Uint8Array): Said {
    const draft = { after: by === undefined ? [] : [by], ...(by !== undefined && { by }), atMs: 1, what }
    const founder = networkSeed && { networkId: 'ours', seed: networkSeed }
    const value = writeRoleStatement(draft, founder)
    const { id } = readRoleStatement(this.idOf(hostile), value) as RoleStatement
    return { kind: 'role', name: id, value: new Uint8Array(value) }
  }

  takedownWord(site: string, by: string | undefined): Said {
    const target = { kind: 'site' as const, site }
    const statement = { target, reason: 'mine', state: 'taken' as const, ...(by !== undefined && { by }) }
    return {
      kind: 'takedown',
      name: takedownName(target),
      value: new Uint8Array(writeTakedown(statement)),
    }
  }

  /** What must not change, of each honest peer. */
  async state(): Promise<object[]> {
    const states: object[] = []
    for (const name of honest) {
      const roles = await this.network.ask<Record<string, unknown>>(name, '/api/v1/network/roles')
      const { takedowns } = await this.network.ask<{ takedowns: unknown[] }>(name, '/api/v1/takedowns')
      const rules = await this.network.ask<object>(name, '/api/v1/rules')
      const known = this.network
        .peer(name)
        .home.ring!.view()
        .known.map(({ contact }) => contact.peer)
      const shown = await this.network.read(name, `/web/2030id_/${this.#urls[0]}`).then(String)
      const { peers, revoked, settings } = roles
      const members = [...new Set(known)].filter((peer) => peer !== this.idOf(hostile)).sort()
      states.push({ name, peers, revoked, settings, takedowns, rules, members, shown })
    }
    return states
  }
}

function roleAttack(name: string, tries: string, act: (stage: RoleStage) => RoleAct): RoleAttack {
  return {
    name,
    tries,
    attack: async (stage) => {
      const what = act(stage)
      const words = await stage.byEveryRight((by) => stage.roleWord(what, by))
      await stage.say([...words, stage.roleWord(what, undefined, new Uint8Array(32).fill(9))])
    },
  }
}

const gone = new Uint8Array(Buffer.from('gone'))

export const roleAttacks: readonly RoleAttack[] = [
  roleAttack(
    'forged grants',
    'It names itself administrator: by no right, a made-up one, an administrator’s, in its name, and with a false signature of the network’s key',
    (stage) => ({
      ...{ act: 'grant', peer: stage.idOf(hostile), role: 'admin', sites: [], keeps: [], reason: '' },
    }),
  ),
  roleAttack(
    'revoking others',
    'It revokes the peer where the network was made, by the same rights',
    (stage) => ({ act: 'revoke', peer: stage.idOf(home), keeps: [], reason: 'mine' }),
  ),
  roleAttack(
    'settings',
    'Jobs of one page at most, takedowns with 16 signatures, by the same rights',
    () => ({
      ...{ act: 'settings', jobPagesMax: 1, takedownSignatures: 16 },
    }),
  ),
  {
    name: 'takedowns without the role',
    tries: 'All sites are taken down, by the same rights',
    attack: async (stage) => {
      for (const site of stage.sites)
        await stage.say(await stage.byEveryRight((by) => stage.takedownWord(site, by)))
    },
  },
  {
    name: 'rules without the role',
    tries: 'All sites are denied to the crawl, by the same rights',
    attack: async (stage) => {
      for (const site of stage.sites) {
        const target = { kind: 'site' as const, site }
        const words = await stage.byEveryRight((by) => {
          const rule = { target, access: 'deny', isRemoved: false, ...(by !== undefined && { by }) }
          return {
            kind: 'rule',
            name: ruleName(target),
            value: new Uint8Array(Buffer.from(JSON.stringify(rule))),
          }
        })
        await stage.say(words)
      }
    },
  },
  {
    name: 'takedown of what is not its own',
    tries: 'It is made curator of one site, and takes down the others by that grant',
    prepare: async (stage) => {
      const [site] = stage.sites
      await stage.byHome({ act: 'grant', peer: stage.idOf(hostile), role: 'curator', sites: [site] })
      stage.curatorGrant = await stage.grantOf(hostile, 'curator')
    },
    attack: (stage) =>
      stage.say(stage.sites.slice(1).map((site) => stage.takedownWord(site, stage.curatorGrant))),
  },
  {
    name: 'old grants again',
    tries:
      'It is member again, tells everybody of its old grant once more, as it was and in its own name, and takes its site down by it',
    prepare: (stage) => stage.byHome({ act: 'grant', peer: stage.idOf(hostile), role: 'member' }),
    attack: async (stage) => {
      const old = (await stage.heard()).filter(
        ({ kind, name }) => kind === 'role' && name === stage.curatorGrant,
      )
      assert.equal(old.length, 1, 'it did not get its old grant')
      await stage.tell(old)
      await stage.say(old.map(({ kind, name, value }) => ({ kind, name, value })))
      await stage.say([stage.takedownWord(stage.sites[0]!, stage.curatorGrant)])
    },
  },
  {
    name: 'foreign signatures',
    tries:
      'What others signed, with other contents, versions and authors: every announcement of a role, changed and told with the signature that it had',
    attack: async (stage) => {
      const signed = (await stage.heard()).filter(({ kind }) => kind === 'role')
      assert(signed.length > 0, 'it heard of no roles')
      const { name, value } = stage.roleWord(
        { act: 'revoke', peer: stage.idOf(second), keeps: [], reason: 'mine' },
        await stage.grantOf(home, 'admin'),
      )
      for (const announcement of signed)
        await stage.tell([
          { ...announcement, name, value },
          { ...announcement, version: announcement.version + 1 },
          { ...announcement, peer: stage.idOf(hostile) },
        ])
    },
  },
  {
    name: 'forget of the living',
    tries: 'Each honest peer is said to have left, by itself and in that peer’s name',
    attack: async (stage) => {
      for (const name of honest.map((each) => stage.idOf(each))) {
        const word = { kind: 'left', name, value: gone }
        await stage.say([word, { ...word, author: name }])
      }
    },
  },
  {
    name: 'words of the revoked',
    tries:
      'It is revoked, and goes on: takes its old site down by its old grant, and names itself administrator under an old date',
    prepare: (stage) => stage.byHome({ act: 'revoke', peer: stage.idOf(hostile), reason: 'gone bad' }),
    attack: async (stage) => {
      const peer = stage.idOf(hostile)
      const what: RoleAct = { act: 'grant', peer, role: 'admin', sites: [], keeps: [], reason: '' }
      await stage.say([
        stage.takedownWord(stage.sites[0]!, stage.curatorGrant),
        stage.roleWord(what, stage.curatorGrant),
      ])
    },
  },
]

/** Which were held. */
export async function runRoleAttacks(seed: string): Promise<Record<string, number>> {
  const stage = await RoleStage.start(seed)
  const held: Record<string, number> = {}
  for (const { name, prepare, attack } of roleAttacks) {
    const earlier = prepare && (await stage.state())
    await prepare?.(stage)
    const before = await stage.state()
    // What may change roles does: so a change would be seen.
    if (earlier !== undefined) assert.notDeepEqual(before, earlier, name)
    await attack(stage)
    await stage.network.advance(heardMs)
    assert.deepEqual(await stage.state(), before, `${name} (seed ${seed})`)
    held[name] = 1
  }
  const faults = stage.network.faults.filter((fault) => !fault.startsWith(hostile))
  assert.deepEqual(faults, [])
  return held
}

export const roleAttacksScenario: Scenario = {
  promise: 'a member that forges, replays and borrows rights changes nothing on whole honest peers',
  seedsByDefault: 5,
  run: runRoleAttacks,
}
