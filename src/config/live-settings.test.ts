import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { ConfigurationError, configurationFrom } from './configuration.ts'
import { LiveSettings } from './live-settings.ts'
import { type SettingName, settings } from './settings.ts'

function liveOf(text: string, flags: Record<string, string> = {}) {
  const file = { path: '/home/config.toml', text }
  const read = () => configurationFrom({ file, flags })
  return { live: new LiveSettings(read(), read), write: (changed: string) => (file.text = changed) }
}

test('what can change does, and what cannot is named until the next start', () => {
  const { live, write } = liveOf('[store]\nreserve = "1GB"\n')
  write('[store]\nreserve = "2GB"\nvolumeSize = "5MB"\n[log]\nlevel = "info"\n')
  const needsRestart = [{ name: 'store.volumeSize', from: '1GB', to: '5MB' }]
  assert.deepEqual(live.reload(), {
    changed: [
      { name: 'log.level', from: 'warn', to: 'info' },
      { name: 'store.reserve', from: '1GB', to: '2GB' },
    ],
    needsRestart,
  })
  assert.equal(live.of('store.reserve'), 2_000_000_000)
  assert.equal(live.configuration.values['store.volumeSize'], 1_000_000_000)
  assert.equal(live.configuration.sources['log.level'], 'file')
  assert.deepEqual(live.reload(), { changed: [], needsRestart })
})

test('another preset brings its values, and what the command line says stands above', () => {
  const { live, write } = liveOf('', { 'store.reserve': '3GB' })
  write('preset = "lan"\n[store]\nreserve = "1GB"\n')
  assert.deepEqual(
    live.reload().changed.map(({ name }) => name),
    ['preset', 'store.scrubRate'],
  )
  assert.equal(live.of('store.reserve'), 3_000_000_000)
})

test('settings that cannot be read change nothing, and it is said where they are wrong', () => {
  const { live, write } = liveOf('')
  const before = live.configuration
  write('[log]\nlevel = "info"\n[store]\nreserve = \n')
  assert.throws(() => live.reload(), /config\.toml is not valid TOML \(line 4\)/)
  write('[log]\nlevel = "info"\n[store]\nreserve = "much"\n')
  assert.throws(
    () => live.reload(),
    (error) => error instanceof ConfigurationError && /store\.reserve in \/home/.test(error.message),
  )
  assert.equal(live.configuration, before)
})

test('every setting that is declared live is asked for where it is used', () => {
  const folder = join(import.meta.dirname, '..', 'cli')
  const code = globSync('**/*.ts', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'utf8'))
  const live = (Object.keys(settings) as SettingName[]).filter((name) => settings[name].isLive)
  // A preset only brings values of others.
  const unused = live.filter(
    (name) => name !== 'preset' && !code.some((text) => text.includes(`live.of('${name}')`)),
  )
  assert.deepEqual(unused, [])
})
