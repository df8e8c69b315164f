import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { readPeerFile, removePeerFile, secretOf, writePeerFile } from './peer-file.ts'

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return home
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('a token is made once, and is nobody else’s to read', async () => {
  const home = await newHome()
  const token = await secretOf(home, 'token')
  assert.match(token, /^[\w-]{43}$/)
  assert.equal(await modeOf(join(home, 'token')), 0o600)
  await chmod(join(home, 'token'), 0o644)
  assert.equal(await secretOf(home, 'token'), token)
  assert.equal(await modeOf(join(home, 'token')), 0o600)
  assert.notEqual(await secretOf(await newHome(), 'token'), token)
})

test('what is no token is replaced, whatever was left over', async () => {
  const home = await newHome()
  await writeFile(join(home, 'token'), 'short\n')
  await writeFile(join(home, 'token.new'), 'left over', { mode: 0o644 })
  const token = await secretOf(home, 'token')
  assert.equal((await readFile(join(home, 'token'), 'utf8')).trim(), token)
  assert.equal(await modeOf(join(home, 'token')), 0o600)
})

test('a home tells of its peer as long as there is one', async () => {
  const home = join(await newHome(), 'not', 'there', 'yet')
  assert.equal(await readPeerFile(home), undefined)
  const file = { url: 'http://localhost:7070', token: 't', instance: 'i', pid: 1 }
  await writePeerFile(home, file)
  assert.deepEqual(await readPeerFile(home), file)
  assert.equal(await modeOf(join(home, 'peer.json')), 0o600)
  for (const text of ['', '{"url":', '{"url":7}', 'null']) {
    await writeFile(join(home, 'peer.json'), text)
    assert.equal(await readPeerFile(home), undefined, text)
  }
  await removePeerFile(home)
  await removePeerFile(home)
})
