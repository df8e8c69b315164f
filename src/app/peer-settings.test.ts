import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { ConfigurationError, configurationFrom } from '../config/configuration.ts'
import { PeerSettings } from './peer-settings.ts'

async function settingsOf(text: string, flags: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'polyhistor-settings-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const path = join(home, 'config.toml')
  await writeFile(path, text)
  const settings = new PeerSettings(() => configurationFrom({ file: { path, text }, flags }), home)
  const shown = async (name: string) => (await settings.list()).find((setting) => setting.name === name)!
  return { settings, shown, path }
}

test('every setting has its value, where it comes from, and what it trades off', async () => {
  const { shown } = await settingsOf('[store]\nscrubRate = "1MB"\n', { 'store.reserve': '2GB' })
  const { value, source, canChange, meaning } = await shown('store.scrubRate')
  assert.deepEqual([value, source, canChange], ['1MB', 'file', true])
  assert.match(meaning, /rot/)
  const reserve = await shown('store.reserve')
  assert.deepEqual([reserve.value, reserve.source, reserve.canChange], ['2GB', 'flag', false])
})

test('a change holds from the next start on, and both values are told until then', async () => {
  const { settings, shown, path } = await settingsOf('# mine\n')
  await Promise.all([settings.change('store.scrubRate', '3MB'), settings.change('store.deltas', 'no')])
  const { value, next } = await shown('store.scrubRate')
  assert.deepEqual([value, next], ['20MB', '3MB'])
  const text = await readFile(path, 'utf8')
  assert.match(text, /^# mine/)
  const { values } = configurationFrom({ file: { path, text } })
  assert.deepEqual([values['store.scrubRate'], values['store.deltas']], [3_000_000, false])
})

test('what could lock somebody out is not changed here, nor what is no setting or no value', async () => {
  const { settings, path } = await settingsOf('')
  for (const [name, written] of [
    ['http.address', 'localhost:1'],
    ['ring.replicas', '1'],
    ['nothing', 'x'],
    ['store.scrubRate', 'fast'],
  ]) {
    await assert.rejects(settings.change(name!, written!), ConfigurationError)
  }
  assert.equal(await readFile(path, 'utf8'), '')
})
