// Roles between real processes: invitations with a role, uses and an end, which administrators make too; takedowns that wait for a second
// signature or for objections; what is final by a threshold; a shut invitation.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { type Outcome, polyhistor, temporaryFolder } from '../command.ts'
import { PeerProcess } from './peer-process.ts'

const local = ['--listen', '127.0.0.1:0', '--http', 'localhost:0', '--share', '1GB']
const pauseMs = 100

interface Roles {
  readonly peers: readonly { readonly peer: string; readonly role: string; readonly sites?: string[] }[]
  readonly settings: Readonly<Record<string, number>>
}

interface Hidden {
  readonly site: string
  readonly isHeld?: boolean
}

test('invitations carry a role, takedowns wait as the network demands, and what is final takes two', {
  timeout: 2_400_000,
}, async () => {
  const folder = await temporaryFolder()
  const homes = ['a', 'b', 'c', 'd', 'e'].map((name) => join(folder, name))
  const [a, b, c, d, e] = homes as [string, string, string, string, string]
  const on = (home: string, ...words: string[]): Promise<Outcome> => polyhistor([...words, '--home', home])
  const done = async (home: string, ...words: string[]): Promise<string> => {
    const { code, output, errors } = await on(home, ...words)
    assert.equal(code, 0, `${words.join(' ')}: ${errors}`)
    return output
  }
  await done(a, 'network', 'create', 'ours')
  const peers: PeerProcess[] = []
  const start = async (home: string, invitation?: string): Promise<PeerProcess> => {
    const words = invitation === undefined ? local : [...local, '--invite', invitation]
    const peer = new PeerProcess({ home, words })
    peers.push(peer)
    await peer.start()
    return peer
  }
  const rolesAt = async (home: string) => JSON.parse(await done(home, 'network', 'roles', '--json')) as Roles
  const hiddenAt = async ({ url }: PeerProcess): Promise<Hidden[]> =>
    ((await (await fetch(new URL('/api/v1/takedowns', url))).json()) as { takedowns: Hidden[] }).takedowns
  const isHidden = async (site: string): Promise<boolean> =>
    (await Promise.all(peers.slice(0, 3).map(hiddenAt))).every((all) => all.some((one) => one.site === site))
  const taken = async (home: string, site: string) =>
    JSON.parse(await done(home, 'takedown', '--site', site, '--reason', 'asked for', '--yes', '--json')) as {
      waitsFor?: { signatures: number; until?: string }
    }
  try {
    await start(a)
    const invited = (role: string, ...more: string[]) =>
      done(a, 'network', 'invite', '-q', '--role', role, ...more)
    const second = await start(b, (await invited('admin', '--until', '1d')).trim())
    await start(c, (await invited('curator', '--site', 'c.test', '--uses', '2')).trim())
    const idB = (await second.view()).peer
    await until(
      'the invited to have their roles everywhere',
      async () => {
        const told = await Promise.all([rolesAt(a), rolesAt(b)])
        return told.every(({ peers: known }) => {
          const having = (role: string) => known.filter((one) => one.role === role).length
          return having('admin') === 2 && having('curator') === 1
        })
      },
      pauseMs,
    )
    const curator = (await rolesAt(b)).peers.find(({ role }) => role === 'curator')
    assert.deepEqual(curator?.sites, ['c.test'])

    // An administrator invites; a curator does not.
    assert.equal((await on(c, 'network', 'invite')).code, 77)
    let invitation = ''
    await until(
      'the administrator to invite',
      async () => {
        const { code, output } = await on(b, 'network', 'invite', '--uses', '1', '--until', '1h', '-q')
        invitation = output.trim()
        return code === 0
      },
      pauseMs,
    )
    await start(d, invitation)
    await until('the invited to be a member', async () => (await rolesAt(b)).peers.length === 4, pauseMs)
    // It was good for one.
    const refused = new PeerProcess({ home: e, words: [...local, '--invite', invitation] })
    assert.match(await refused.startRefused(), /was good for one member/)

    // Two signatures.
    await done(a, 'network', 'settings', '--takedown-signatures', '2')
    await until(
      'the settings to be known',
      async () => (await rolesAt(c)).settings.takedownSignatures === 2,
      pauseMs,
    )
    assert.deepEqual((await taken(c, 'c.test')).waitsFor, { signatures: 1 })
    assert.equal((await Promise.all(peers.map(hiddenAt))).flat().length, 0)
    await taken(b, 'c.test')
    await until('both signatures to hide it', () => isHidden('c.test'), pauseMs)

    // A while in which administrators may object: one does, of the first of two.
    await done(a, 'network', 'settings', '--takedown-signatures', '1', '--takedown-delay', '40s')
    await until(
      'the delay to be known',
      async () => (await rolesAt(b)).settings.takedownDelayMs === 40_000,
      pauseMs,
    )
    await taken(b, 'objected.test')
    await until(
      'the other administrator to hear of it',
      async () => (await done(a, 'network', 'announcements', '--json')).includes('objected.test'),
      pauseMs,
    )
    await done(a, 'takedown', '--release', '--site', 'objected.test', '--reason', 'no grounds', '--yes')
    assert.ok((await taken(b, 'late.test')).waitsFor?.until)
    await until('the delay to be over', () => isHidden('late.test'), pauseMs)
    assert.equal(await isHidden('objected.test'), false)

    // What is final takes two.
    await done(a, 'network', 'settings', '--takedown-delay', '0s', '--threshold', '2')
    await until('the threshold to be known', async () => (await rolesAt(b)).settings.threshold === 2, pauseMs)
    const heldEverywhere = async (isHeld: boolean) =>
      (await Promise.all(peers.slice(0, 3).map(hiddenAt))).every(
        (all) => (all.find(({ site }) => site === 'final.test')?.isHeld ?? false) === isHeld,
      )
    await taken(a, 'final.test')
    await until('it to be hidden', () => isHidden('final.test'), pauseMs)
    await until('it to be held by all', () => heldEverywhere(true), pauseMs)
    await taken(b, 'final.test')
    await until('it to be final with two', () => heldEverywhere(false), pauseMs)
    const pending = await done(
      b,
      'network',
      'grant',
      (await rolesAt(b)).peers.at(-1)!.peer,
      'admin',
      '--json',
    )
    assert.equal((JSON.parse(pending) as { standing: string }).standing, 'pending')

    // Revoked with its invitation: the second who had it does not come in.
    const shared = (await invited('member', '--uses', '2')).trim()
    const last = await start(e, shared)
    const idE = (await last.view()).peer
    await until(
      'it to be a member',
      async () => (await rolesAt(a)).peers.some(({ peer }) => peer === idE),
      pauseMs,
    )
    await done(a, 'network', 'revoke', idE, '--invitation', '--reason', 'leaked')
    const late = new PeerProcess({ home: join(folder, 'f'), words: [...local, '--invite', shared] })
    assert.match(await late.startRefused(), /^ended with (?!0:)/)
    assert.ok((await rolesAt(b)).peers.some(({ peer, role }) => peer === idB && role === 'admin'))
  } finally {
    await Promise.allSettled(peers.map((peer) => peer.end('SIGKILL')))
  }
})
