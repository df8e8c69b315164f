import assert from 'node:assert/strict'
import { test } from 'vitest'
import { settings } from '../../config/settings.ts'
import { localeFor } from '../language/reader-language.ts'
import { settingExpects, settingMeaning } from './setting-meanings.ts'

const german = localeFor({ header: (name) => (name === 'accept-language' ? 'de' : undefined) })

test('every setting, and what it takes, is told in German', () => {
  for (const [name, { tradeOff, kind }] of Object.entries(settings))
    for (const said of [settingMeaning(name, tradeOff), settingExpects(kind.expects)]) {
      assert.doesNotMatch(said.in(german), /<span lang="en">/, name)
      assert.doesNotMatch(said.in(german), /\b(such as|the|or)\b/, name)
    }
})

test('in English as the command line tells it', () => {
  const { tradeOff, kind } = settings['store.volumeSize']
  assert.equal(String(settingMeaning('store.volumeSize', tradeOff)).toLowerCase(), `${tradeOff}.`)
  assert.equal(String(settingExpects(kind.expects)), kind.expects)
})

test('bounds and examples stay, and what is not known is told in English', () => {
  const told = settingExpects('a size of at least 1kB, such as 20MB').in(german)
  assert.equal(told, 'eine Größe von mindestens 1kB, etwa 20MB')
  assert.equal(
    settingMeaning('new.setting', 'what it does').in(german),
    '<span lang="en">What it does.</span>',
  )
})
