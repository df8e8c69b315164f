import assert from 'node:assert/strict'
import { test } from 'vitest'
import { withSetting } from './config-text.ts'

const path = '/home/config.toml'

test('a setting is changed where it stands, and all else stays as it was written', () => {
  const text = '# mine\npreset = "lan"\n\n[store]\n# slow disk\nscrubRate = "1MB" # really\ndeltas = true\n'
  assert.equal(
    withSetting(text, path, 'store.scrubRate', '5 MB'),
    '# mine\npreset = "lan"\n\n[store]\n# slow disk\nscrubRate = "5MB"\ndeltas = true\n',
  )
  assert.match(withSetting(text, path, 'preset', 'local'), /^# mine\npreset = "local"\n/)
})

test('a setting that is not there yet comes into its section, which is made where there is none', () => {
  assert.equal(withSetting('', path, 'store.deltas', 'no'), '[store]\ndeltas = "no"\n')
  assert.equal(
    withSetting('[log]\nlevel = "warn"\n', path, 'log.format', 'json'),
    '[log]\nformat = "json"\nlevel = "warn"\n',
  )
  assert.equal(
    withSetting('[log]\nlevel = "warn"\n', path, 'preset', 'lan'),
    'preset = "lan"\n[log]\nlevel = "warn"\n',
  )
})

test('what cannot be changed line by line is left to its owner', () => {
  assert.throws(
    () => withSetting('store = { deltas = true }\n', path, 'store.deltas', 'no'),
    /cannot be changed here\. Edit store\.deltas in it by hand/,
  )
  assert.throws(() => withSetting('', path, 'store.scrubRate', 'fast'), /must be a size/)
})
