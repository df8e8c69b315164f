// Networks, invitations, the ring and lookups from the command line, with real peers.

import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'vitest'
import { ringKeyOfSite } from '../../src/model/ring-key.ts'
import { siteOf } from '../../src/model/url/site.ts'
import { until } from '../../src/platform/fixtures/until.ts'
import { polyhistor, temporaryFolder } from '../command.ts'
import { PeerProcess } from './peer-process.ts'

async function withPeers(peers: PeerProcess[], body: () => Promise<void>): Promise<void> {
  try {
    await body()
  } finally {
    await Promise.all(peers.map((peer) => peer.end('SIGKILL')))
  }
}

const local = ['--listen', '127.0.0.1:0']

describe('network', () => {
  test('is made once in a home, and invites from there alone', async () => {
    const folder = await temporaryFolder()
    const [a, b] = [join(folder, 'a'), join(folder, 'b')]
    const none = await polyhistor(['network', '--home', a])
    assert.deepEqual([none.code, none.output], [1, ''])
    const created = await polyhistor(['network', 'create', 'our archive', '--json', '--home', a])
    assert.equal(created.code, 0, created.errors)
    const network = JSON.parse(created.output)
    assert.deepEqual([network.name, network.kind], ['our archive', 'invited'])
    assert.match(network.invitation, /^polyhistor-invitation-1\./)
    const again = await polyhistor(['network', 'create', 'another', '--home', a])
    assert.equal(again.code, 64)
    assert.match(again.errors, /"our archive"/)
    const shown = JSON.parse((await polyhistor(['network', '--json', '--home', a])).output)
    assert.deepEqual([shown.id, shown.canInvite], [network.id, true])
    const plain = await polyhistor(['network', 'invite', '--expires', '7d', '-q', '--home', a])
    assert.match(plain.output, /^polyhistor-invitation-1\.[\w-]+\n$/)
    assert.equal((await polyhistor(['network', 'invite', '--expires', 'soon', '--home', a])).code, 64)
    assert.equal((await polyhistor(['network', 'invite', '--home', b])).code, 64)
    const bad = await polyhistor(['peer', '--invite', 'nonsense', '--http', 'localhost:0', '--home', b])
    assert.equal(bad.code, 65)
    assert.match(bad.errors, /no invitation/)
  })
})

describe('a peer without a network', () => {
  test('is a ring of one, and listens for nobody', async () => {
    const folder = await temporaryFolder()
    const peer = new PeerProcess({ home: folder, words: [] })
    await withPeers([peer], async () => {
      const idle = await polyhistor(['ring', '--home', folder])
      assert.equal(idle.code, 75)
      assert.match(idle.errors, /Start one with: polyhistor peer/)
      await peer.start()
      const view = JSON.parse((await polyhistor(['ring', '--json', '--home', folder])).output)
      assert.equal(view.network.kind, 'alone')
      assert.deepEqual(view.addresses, [])
      const found = JSON.parse(
        (await polyhistor(['lookup', 'example.com', '--json', '--home', folder])).output,
      )
      assert.equal(found.owner.peer, view.peer)
      assert.equal(found.hops, 0)
    })
  })
})

describe('two peers', () => {
  test('show the ring and who owns what; who is not invited is refused; both leave when told', {
    timeout: 1_200_000,
  }, async () => {
    const folder = await temporaryFolder()
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name))
    await polyhistor(['network', 'create', 'ours', '--home', a!])
    const first = new PeerProcess({ home: a!, words: [...local, '--share', '200GB'] })
    await withPeers([first], async () => {
      await first.start()
      const { output: invitation } = await polyhistor(['network', 'invite', '-q', '--home', a!])
      const second = new PeerProcess({ home: b!, words: [...local, '--invite', invitation.trim()] })
      await withPeers([second], async () => {
        await second.start()
        const knowAll = async (peer: PeerProcess) => (await peer.view()).known.length >= 3
        await until('three positions', async () => (await knowAll(first)) && (await knowAll(second)), 100)
        const shown = [
          /ours\b[\s\S]*3 positions[\s\S]*2 peers/,
          /^ +POSITION +ARC +PEER +STATE +ROUND TRIP +CLOCK +ADDRESS$/m,
          /\(us\) +member/,
          /alive +\d+\.\d ms/,
        ]
        // The other is measured a little later, and may be slow now and then.
        await until('a picture of all', async () => {
          const picture = await polyhistor(['ring', '--home', b!])
          assert.equal(picture.code, 0, picture.errors)
          return shown.every((part) => part.test(picture.output))
        })

        const asked = await polyhistor(['lookup', 'https://www.example.com/page', '--json', '--home', b!])
        assert.equal(asked.code, 0, asked.errors)
        const found = JSON.parse(asked.output)
        assert.deepEqual(Object.keys(found), ['key', 'owner', 'replicas', 'hops'])
        assert.deepEqual(Object.keys(found.owner), ['peer', 'position', 'address'])
        assert.equal(found.key, ringKeyOfSite(siteOf('www.example.com')))
        assert.deepEqual(found.replicas[0], found.owner)
        await until('the other to name the same owner', async () => {
          const byKey = await polyhistor(['lookup', found.key, '--json', '--home', a!])
          return byKey.code === 0 && isDeepStrictEqual(JSON.parse(byKey.output).owner, found.owner)
        })
        assert.match((await polyhistor(['lookup', found.key, '--home', a!])).output, /^owner +12D3/m)

        await polyhistor(['network', 'create', 'another', '--home', c!])
        const [address] = (await first.view()).addresses
        const refused = await polyhistor([
          'peer',
          ...local,
          '--http',
          'localhost:0',
          '--invite',
          invitation.trim(),
          '--join',
          address!,
          '--home',
          c!,
        ])
        assert.equal(refused.code, 64, refused.errors)
        assert.match(refused.errors, /A home has one network/)

        // Who copies a membership is of the same network, and is not let in.
        const d = join(folder, 'd')
        await mkdir(d)
        const file = JSON.parse(await readFile(join(b!, 'network.json'), 'utf8'))
        await writeFile(join(d, 'network.json'), JSON.stringify(file))
        const stranger = new PeerProcess({ home: d, words: [...local, '--join', address!] })
        await withPeers([stranger], async () => {
          assert.match(await stranger.startRefused(), /^ended with 1: .*did not take us in/s)
        })
        const ours = [(await first.view()).peer, (await second.view()).peer]
        const strangers = (await first.view()).known.filter(({ contact }) => !ours.includes(contact.peer))
        assert.deepEqual(strangers, [])

        assert.equal(await second.end('SIGINT'), 0)
      })
      await until('the second to be gone', async () => (await first.view()).known.length <= 2, 100)
      assert.equal(await first.end('SIGTERM'), 0)
    })
  })
})
