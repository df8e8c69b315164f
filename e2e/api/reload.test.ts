// Settings of a running peer, changed in its config.toml: by a command, and by SIGHUP.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'vitest'
import { polyhistor, temporaryFolder } from '../command.ts'
import { startPeer } from './peer.ts'

const waitMs = 200
const looksMax = 600

test('a running peer takes on what it can, names what it cannot, and keeps all when the file is broken', async () => {
  const home = join(await temporaryFolder(), 'home')
  const peer = await startPeer(home)
  const command = (words: string[], input = '') => polyhistor([...words, '--home', home], { input })
  const keep = (text: string) => command(['store', 'put', '-'], text)
  const write = (text: string) => writeFile(join(home, 'config.toml'), text)
  assert.equal((await keep('one')).code, 0)

  await write('[store]\nreserve = "900TB"\nvolumeSize = "5MB"\n')
  const { output } = await command(['reload', '--json'])
  assert.deepEqual(JSON.parse(output), {
    changed: [{ name: 'store.reserve', from: '1GB', to: '900TB' }],
    needsRestart: [{ name: 'store.volumeSize', from: '1GB', to: '5MB' }],
  })
  const refused = await keep('two')
  assert.equal(refused.code, 75, refused.errors)
  assert.match(refused.errors, /store\.reserve/)

  await write('[store]\nreserve = "0B"\nvolumeSize = \n')
  const broken = await command(['reload'])
  assert.equal(broken.code, 78, broken.errors)
  assert.match(broken.errors, /config\.toml is not valid TOML \(line 3\)/)

  const asked = (headers: Record<string, string>) =>
    fetch(`${peer.url}/api/v1/settings/reload`, { method: 'POST', headers })
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const answer = await asked({ Authorization: `Bearer ${token}` })
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /config\.toml is not valid TOML \(line 3\)/)
  assert.equal((await asked({})).status, 401)

  await write('[store]\nreserve = "0B"\n')
  peer.child.kill('SIGHUP')
  for (let look = 1; (await keep('three')).code !== 0; look++) {
    assert(look < looksMax, 'SIGHUP was not heard')
    await sleep(waitMs)
  }
  assert.equal(await peer.stop(), 0)
})
