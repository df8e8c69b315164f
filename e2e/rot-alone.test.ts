// A peer that is alone and whose disk rots: it finds out by itself, and says so wherever its owner may look.

import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { openStore, parseUrl } from '../src/app/store/store-library.ts'
import { polyhistor, temporaryFolder } from './command.ts'
import { until } from './network/until.ts'
import { PeerProcess } from './ring/peer-process.ts'

async function rottenHome(): Promise<string> {
  const home = await temporaryFolder()
  const store = await openStore(join(home, 'store'))
  const block = Buffer.from(`HTTP/1.1 200 OK\r\n\r\n${'rot and '.repeat(1_000)}`)
  await store.append({ url: parseUrl('http://a.test/'), capturedAtMs: Date.UTC(2026, 0), block })
  const [volume] = (await store.stat()).volumes
  await store.close()
  const file = await open(volume!.path, 'r+')
  const last = Buffer.alloc(1)
  await file.read(last, 0, 1, volume!.bytes - 20)
  last[0]! ^= 1
  await file.write(last, 0, 1, volume!.bytes - 20)
  await file.close()
  return home
}

test('rot on the disk of a peer that is alone is found and told, and no reader sees it', {
  timeout: 900_000,
}, async () => {
  const home = await rottenHome()
  const peer = new PeerProcess({ home, words: ['--set', 'store.scrubEvery=1s'] })
  await peer.start()
  try {
    const rot =
      /Rot +everything was last read to find any by 20\d\d-.* UTC; (\d+) found, 0 mended, \1 not mended/
    await until('the rot to be told', async () => {
      const told = (await polyhistor(['status', '--home', home])).output
      return rot.test(told) || told
    })
    const page = await (await fetch(`${peer.url}/status`)).text()
    assert.match(page, /Damaged:.*cannot be read as written/)
    const { status } = await fetch(`${peer.url}/web/2026id_/http://a.test/`)
    assert.notEqual(status, 200)
  } finally {
    await peer.end('SIGTERM')
  }
})
