// What must hold of every robots.txt, and of every file that claims to be one.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pathNormalForm, targetForms } from './path-normal-form.ts'
import { PathPattern } from './path-pattern.ts'
import { parseDirectives } from './robots-directives.ts'
import { parseRobots } from './robots-file.ts'
import { RobotsRules } from './robots-rules.ts'

const hostileParts = [
  'User-agent:',
  'Disallow:',
  'Allow:',
  'Crawl-delay:',
  'Sitemap:',
  '\n',
  '\r',
  ' ',
  '\t',
  '#',
  '*',
]
const pathParts = ['/', 'a', 'b', 'ab', '*', '$', '%2F', '%2f', '%', '%41', '?', '=', '&', 'é', '\0', '@']

const hostileFile = fc
  .array(fc.oneof(fc.constantFrom(...hostileParts, ...pathParts, 'me', '1.5'), fc.string()), {
    maxLength: 60,
  })
  .map((parts) => Buffer.from(parts.join('')))
const anyFile = fc.oneof(fc.uint8Array({ maxLength: 400 }), hostileFile)
const path = fc.array(fc.constantFrom(...pathParts), { maxLength: 12 }).map((parts) => `/${parts.join('')}`)

const letters = fc
  .array(fc.constantFrom('a', 'b', '*'), { maxLength: 10 })
  .map((parts) => `/${parts.join('')}`)
const plainTarget = fc
  .array(fc.constantFrom('a', 'b'), { maxLength: 14 })
  .map((parts) => `/${parts.join('')}`)

export const properties = [
  {
    name: 'any bytes are read, and the verdict is the same each time',
    property: fc.property(anyFile, path, (bytes, target) => {
      const first = new RobotsRules(parseRobots(bytes), 'me').verdictOn(target)
      assert.deepEqual(new RobotsRules(parseRobots(bytes), 'me').verdictOn(target), first)
      if (first.rule !== undefined) assert.equal(first.isAllowed, first.rule.kind === 'allow')
    }),
  },
  {
    name: '/robots.txt is always allowed',
    property: fc.property(anyFile, (bytes) => {
      assert.equal(new RobotsRules(parseRobots(bytes), 'me').verdictOn('/robots.txt').isAllowed, true)
    }),
  },
  {
    name: 'the normal form of a normal form is itself, and ASCII',
    property: fc.property(path, (written) => {
      const form = pathNormalForm(Buffer.from(written).toString('latin1'))
      assert.match(form, /^[\x21-\x7e]*$/)
      assert.equal(pathNormalForm(form), form)
    }),
  },
  {
    name: 'a path without special characters matches itself, alone and with more behind it',
    property: fc.property(path, path, (written, more) => {
      const plain = written.replaceAll('*', '').replaceAll('$', '')
      const octets = Buffer.from(plain).toString('latin1')
      assert.ok(new PathPattern(octets).matches(targetForms(plain)))
      // A `%` at the end would encode something else with more behind it.
      assert.ok(new PathPattern(octets).matches(targetForms(plain + more.replaceAll('%', ''))))
    }),
  },
  {
    name: 'patterns match as a regular expression would',
    property: fc.property(letters, fc.boolean(), plainTarget, (written, isAnchored, target) => {
      const pattern = new PathPattern(isAnchored ? `${written}$` : written)
      const source = written.replaceAll('*', '.*')
      const expression = new RegExp(isAnchored ? `^${source}$` : `^${source}`)
      assert.equal(pattern.matches(targetForms(target)), expression.test(target))
    }),
  },
  {
    name: 'long pieces are found where the engine finds them',
    property: fc.property(
      fc.array(fc.constantFrom('a', 'b', 'ab'), { minLength: 20, maxLength: 60 }),
      fc.array(fc.constantFrom('a', 'b', 'ab'), { maxLength: 30 }),
      fc.nat({ max: 10 }),
      (text, around, cut) => {
        const piece = text.slice(cut).join('')
        const target = `/${around.join('')}${text.join('')}${around.join('')}`
        const isFound = target.indexOf(piece, 1) !== -1
        assert.equal(new PathPattern(`/*${piece}`).matches(targetForms(target)), isFound)
        assert.equal(new PathPattern(`/*${piece}c`).matches(targetForms(target)), false)
        assert.equal(
          new PathPattern(`/*${piece}*${piece}`).matches(targetForms(target)),
          target.indexOf(piece, target.indexOf(piece, 1) + piece.length) !== -1,
        )
      },
    ),
  },
  {
    name: 'any text is read as directives',
    property: fc.property(fc.array(fc.string()), fc.string(), (values, agent) => {
      assert.equal(typeof parseDirectives(values, agent).noFollow, 'boolean')
    }),
  },
]
