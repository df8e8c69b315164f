import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { ConfigurationError, configurationFrom, type Written } from './configuration.ts'
import { environmentName, presets, type Setting, settings } from './settings.ts'

const file = (text: string) => ({ path: '/home/config.toml', text })

describe('the effective configuration', () => {
  test('is the default when nothing is written', () => {
    const { values, sources } = configurationFrom({})
    assert.equal(values['store.volumeSize'], 1_000_000_000)
    assert.deepEqual(new Set(Object.values(sources)), new Set(['default']))
  })

  test('takes flag before environment before file before preset', () => {
    const written: Written = { file: file('preset = "lan"') }
    const scrubRate = () => {
      const { values, sources } = configurationFrom(written)
      return [values['store.scrubRate'], sources['store.scrubRate']]
    }
    assert.deepEqual(scrubRate(), [presets.lan['store.scrubRate'], 'preset'])
    written.file = file('preset = "lan"\n[store]\nscrubRate = "1MB"')
    assert.deepEqual(scrubRate(), [1_000_000, 'file'])
    written.environment = { POLYHISTOR_STORE_SCRUB_RATE: '2MB', OTHER: 'x', POLYHISTOR_HOME: '/x' }
    assert.deepEqual(scrubRate(), [2_000_000, 'environment'])
    written.flags = { 'store.scrubRate': '3MB' }
    assert.deepEqual(scrubRate(), [3_000_000, 'flag'])
  })

  test('cannot be changed afterwards', () => {
    const { values } = configurationFrom({})
    assert.throws(() => Object.assign(values, { preset: 'lan' }), TypeError)
  })
})

describe('a mistake', () => {
  const mistakes: [string, Written, RegExp][] = [
    [
      'unknown key in the file',
      { file: file('[store]\nvolumSize = "1GB"') },
      /store\.volumSize in \/home\/config\.toml names no setting\. Did you mean store\.volumeSize\?/,
    ],
    [
      'unknown variable',
      { environment: { POLYHISTOR_LOGLEVEL: 'info' } },
      /POLYHISTOR_LOGLEVEL names no setting\. Did you mean POLYHISTOR_LOG_LEVEL\?/,
    ],
    ['unknown flag far from all', { flags: { zzz: '1' } }, /--set zzz names no setting\.$/],
    [
      'bad value',
      { flags: { 'store.compressionLevel': '11' } },
      /--set store\.compressionLevel is "11", but must be a whole number from 1 to 9\./,
    ],
    ['a table where a value belongs', { file: file('[preset]\nx = 1') }, /preset\.x/],
    [
      'a list where a value belongs',
      { file: file('preset = ["lan"]') },
      /must be one of local, lan, internet/,
    ],
    ['not TOML', { file: file('preset = ') }, /\/home\/config\.toml is not valid TOML \(line 1\)/],
  ]
  test.each(mistakes)('%s is an error that says what to do', (_, written, message) => {
    assert.throws(
      () => configurationFrom(written),
      (error) => {
        assert.ok(error instanceof ConfigurationError)
        assert.equal(error.code, 'configuration-invalid')
        assert.match(error.message, message)
        return true
      },
    )
  })
})

describe('every setting', () => {
  test.each(Object.entries(settings) as [string, Setting<unknown>][])(
    '%s reads back what it prints',
    (name, setting) => {
      const { kind } = setting
      assert.deepEqual(kind.read(kind.print(setting.default)), setting.default)
      assert.match(environmentName(name), /^POLYHISTOR_[A-Z_]+$/)
      assert.ok(setting.tradeOff.length > 20)
    },
  )
})
