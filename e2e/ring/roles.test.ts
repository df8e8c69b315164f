// Roles between real processes: who may not is told so, and who is revoked is out within seconds, also after restarts.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'vitest'
import { until } from '../../src/platform/fixtures/until.ts'
import { type Outcome, polyhistor, temporaryFolder } from '../command.ts'
import { PeerProcess } from './peer-process.ts'

const local = ['--listen', '127.0.0.1:0', '--http', 'localhost:0', '--share', '1GB']

interface Roles {
  readonly peers: readonly { readonly peer: string; readonly role: string }[]
  readonly revoked: readonly string[]
}

test('a member takes nothing down, a curator does, and who is revoked is out, also after restarts', {
  timeout: 1_500_000,
}, async () => {
  const folder = await temporaryFolder()
  const [a, b, c, v] = ['a', 'b', 'c', 'v'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  const on = (home: string, ...words: string[]): Promise<Outcome> => polyhistor([...words, '--home', home])
  await on(a, 'network', 'create', 'ours')
  const first = new PeerProcess({ home: a, words: local })
  const peers = [first]
  try {
    await first.start()
    const invited = await on(a, 'network', 'invite', '--uses', '2', '--until', '7d', '--json')
    const { invitation, role, uses } = JSON.parse(invited.output) as Record<string, string>
    assert.deepEqual([role, uses], ['member', 2])
    for (const home of [b, c])
      peers.push(new PeerProcess({ home, words: [...local, '--invite', invitation!] }))
    const [, second, third] = peers as [PeerProcess, PeerProcess, PeerProcess]
    await second.start()
    await third.start()
    const known = async (peer: PeerProcess) =>
      new Set((await peer.view()).known.map(({ contact }) => contact.peer))
    const all = async () => (await Promise.all(peers.map(known))).every(({ size }) => size === 3)
    await until('three peers on the ring', all, 100)
    const [idB, idC] = [(await second.view()).peer, (await third.view()).peer]

    // Who may not is told who may; a reason is needed.
    const takedown = ['takedown', '--site', 'a.test', '--yes']
    const refused = await on(b, ...takedown, '--reason', 'asked for')
    assert.equal(refused.code, 77, refused.errors)
    assert.match(refused.errors, /is a member.*for administrators \(12D3/)
    assert.equal((await on(a, ...takedown)).code, 64)
    assert.equal((await on(b, 'network', 'grant', idC, 'admin')).code, 77)
    assert.equal((await on(a, 'network', 'grant', idB, 'curator', '--site', 'a.test')).code, 0)
    await until(
      'the curator to know its role',
      async () => {
        return (await on(b, ...takedown, '--reason', 'asked for')).code === 0
      },
      60,
    )
    assert.equal((await on(b, 'takedown', '--site', 'b.test', '--reason', 'no', '--yes')).code, 77)
    const hidden = async (peer: PeerProcess) =>
      ((await (await fetch(new URL('/api/v1/takedowns', peer.url))).json()) as { takedowns: unknown[] })
        .takedowns.length
    await until(
      'the takedown on all',
      async () => (await Promise.all(peers.map(hidden))).every((count) => count === 1),
      60,
    )

    // Out: off the ring of both others, and its connection refused.
    const revoked = await on(a, 'network', 'revoke', idC, 'member', '--reason', 'gone bad')
    assert.equal(revoked.code, 0, revoked.errors)
    const isOut = async () => !(await known(first)).has(idC) && !(await known(second)).has(idC)
    await until('the revoked peer to be off the ring', isOut, 60)
    // Off the ring it may be already because it was slow.
    await until(
      'the curator to know of it',
      async () => {
        const listed = JSON.parse((await on(b, 'network', 'roles', '--json')).output) as Roles
        assert.equal(listed.peers.find(({ peer }) => peer === idB)?.role, 'curator')
        return listed.revoked.join() === idC
      },
      60,
    )
    const said = (await on(b, 'network', 'announcements', '--json')).output.trim().split('\n')
    assert(said.some((line) => line.includes('gone bad')))

    // Restarted, both sides: it stays out.
    await third.end()
    await first.end()
    await first.start()
    await third.start().catch(() => {})
    await until('the others to be together', async () => (await known(first)).has(idB), 60)
    for (let look = 0; look < 5; look++) {
      assert(await isOut())
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    await third.end('SIGKILL')
    assert.equal((await on(c, ...takedown, '--reason', 'still')).code, 77)

    // A volunteer's invitation is none for a peer that keeps.
    const { output } = await on(a, 'network', 'invite', '--role', 'volunteer', '-q')
    assert.equal((await on(v, 'peer', ...local, '--invite', output.trim())).code, 64)
  } finally {
    await Promise.allSettled(peers.map((peer) => peer.end('SIGKILL')))
  }
})
