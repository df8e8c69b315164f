// The commands of the store while a peer runs on its home: they work through it, and say the same.

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { polyhistor, root, temporaryFolder } from '../command.ts'
import { startPeer } from './peer.ts'

const wgetFile = join(root, 'src/formats/warc/fixtures/wget-gzip.warc.gz')

async function homeWithPeer() {
  const home = await temporaryFolder()
  const peer = await startPeer(home)
  const run = (words: string[], input = '') => polyhistor([...words, '--home', home], { input })
  const output = async (words: string[], input = '') => {
    const { code, output, errors } = await run(words, input)
    assert.equal(code, 0, errors)
    return output.trim()
  }
  return { home, peer, run, output }
}

test('contents are put, got and deleted through the peer', async () => {
  const { home, run, output } = await homeWithPeer()
  const file = join(home, 'a file')
  // More than is held in memory.
  const large = join(home, 'large')
  await writeFile(file, 'some bytes')
  await writeFile(large, Buffer.alloc(17 * 1024 * 1024, 'abc'))
  const put = await run(['store', 'put', file, join(home, 'absent'), large, home])
  assert.equal(put.code, 1)
  assert.match(put.errors, /absent cannot be read: there is no such file/)
  const [key, largeKey, ...none] = put.output.trim().split('\n')
  assert.deepEqual(none, [])
  assert.equal(await output(['store', 'put', '-'], 'some bytes'), key)
  assert.deepEqual(await readdir(join(home, 'store', 'spool')), [])
  assert.equal(await output(['store', 'get', key!]), 'some bytes')
  assert.equal((await run(['store', 'get', largeKey!])).output, await readFile(large, 'utf8'))
  assert.equal(await output(['store', 'delete', key!, key!]), '')
  const gone = await run(['store', 'get', key!])
  assert.deepEqual([gone.code, gone.output], [66, ''])
  const never = await run(['store', 'delete', key!])
  assert.equal(never.code, 1)
  assert.match(never.errors, /is not in this store/)
  assert.equal((await run(['store', 'get', 'nonsense'])).code, 65)
  assert.equal((await run(['store', 'put', file, '--folder', '/nowhere'])).code, 66)
})

describe('volume folders', () => {
  test('are added while the peer runs, written to, and emptied', async () => {
    const { home, run, output } = await homeWithPeer()
    const added = join(home, 'added')
    await output(['store', 'volumes', '--add', added])
    const key = await output(['store', 'put', wgetFile, '--folder', added])
    const listed = async () =>
      (await output(['store', 'volumes', '--json'])).split('\n').map((line) => JSON.parse(line))
    const find = async () => (await listed()).find(({ folder }) => folder === added)
    assert.deepEqual([(await find()).mode, (await find()).volumes], ['writable', 1])
    await output(['store', 'volumes', '--read-only', added])
    assert.equal((await find()).mode, 'read-only')
    assert.equal((await run(['store', 'volumes', '--read-only', join(home, 'typo')])).code, 66)
    await output(['store', 'volumes', '--move-off', added])
    assert.equal(await find(), undefined)
    assert.deepEqual(
      (await readdir(added)).filter((name) => name.includes('.warc')),
      [],
    )
    assert.equal((await run(['store', 'get', key])).output, await readFile(wgetFile, 'utf8'))
  })
})

test('rot is found and room given back while the peer runs', async () => {
  const { home, run, output } = await homeWithPeer()
  const file = join(home, 'bytes')
  await writeFile(file, 'x'.repeat(100_000))
  const key = await output(['store', 'put', file, '--type', 'image/png'])
  assert.match(await output(['store', 'scrub', '--rate', '100MB']), /Checked 1 records.*0 damaged/)
  const folder = join(home, 'store', 'volumes')
  const [name] = (await readdir(folder)).filter((entry) => entry.includes('.warc'))
  const volume = await readFile(join(folder, name!))
  volume[volume.length - 20]! ^= 1
  await writeFile(join(folder, name!), volume)
  const scrub = await run(['store', 'scrub'])
  assert.equal(scrub.code, 1)
  assert.match(scrub.errors, new RegExp(key))
  assert.equal((await run(['store', 'get', key])).code, 74)
  await output(['store', 'delete', key])
  assert.equal(JSON.parse(await output(['store', 'compact', '--json'])).volumes, 1)
  assert.deepEqual(
    (await readdir(folder)).filter((entry) => entry.includes('.warc')),
    [],
  )
})

test('only the owner may', async () => {
  const { peer } = await homeWithPeer()
  for (const [method, path] of [
    ['POST', 'contents'],
    ['GET', 'contents/sha256:00'],
    ['DELETE', 'contents/sha256:00'],
    ['GET', 'folders'],
    ['POST', 'folders'],
    ['POST', 'upkeep'],
  ]) {
    const answer = await fetch(`${peer.url}/api/v1/${path}`, { method: method! })
    assert.equal(answer.status, 401, `${method} ${path}`)
  }
})
