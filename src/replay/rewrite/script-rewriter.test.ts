import assert from 'node:assert/strict'
import { createContext, runInContext } from 'node:vm'
import { describe, test } from 'vitest'
import { rewriteScript, type ScriptKind } from './script-rewriter.ts'

const context = {
  rewriteLink: (url: string, modifier: string) => `/web/20200101000000${modifier}/${url}`,
  scopeModule: '/web/_/scope.js',
}
const rewritten = (text: string, kind: ScriptKind = 'classic') => rewriteScript(text, kind, context)

/** Runs scripts one after the other in a world where the real names are `real …` and wombat's are `archived …`. */
function world(): { run(script: string): unknown } {
  const global = createContext({})
  const stage = `
    var self = globalThis, seen = [];
    for (const name of ['document', 'location', 'top', 'parent', 'frames', 'opener']) globalThis[name] = 'real ' + name;
    var archived = { window: { archived: true, location: 'archived location' }, document: 'archived document', location: 'archived location',
      top: 'archived top', self: 'archived self', parent: 'archived parent', globalThis: 'archived globalThis' };
    var _____WB$wombat$assign$function_____ = (name) => archived[name] ?? globalThis[name];
    Object.defineProperty(Object.prototype, '_____WB$wombat$check$this$function_____',
      { value: (it) => (it === globalThis ? archived.window : it) });
    var WB_wombat_runEval2 = (run) => ({ eval: (it, args, text) => run('/* checked */' + text, false) });`
  runInContext(stage, global)
  return { run: (script) => runInContext(rewritten(script), global) }
}

describe('a classic script', () => {
  test.each([
    ['location', 'archived location'],
    ['window.location', 'archived location'],
    ['document + top', 'archived documentarchived top'],
    ['(function () { return this })().location', 'archived location'],
    ['(() => this)().location', 'archived location'],
    ['this.location', 'archived location'],
    ['var o = { location: 1, m() { return this.location } }; o.m()', 1],
    ['var p = { this: 1 }; p.this', 1],
    ['"location" + `$' + '{location}`', 'locationarchived location'],
    ['/location"/.test(\'location"\') && top', 'archived top'],
    ['var a = 8, g = 2; a / g / 2 + location', '2archived location'],
    ['function f(location) { return location } f(5)', 5],
    ['function g2({ location = 3 } = {}) { return location } g2()', 3],
    ['((parent) => parent)(4)', 4],
    ['eval("1 + 1")', 2],
    ['var self = this; typeof self', 'object'],
    ['for (var top = 0; top < 2; top++); top', 2],
    ['x: for (;;) { break x } top', 'archived top'],
    ['// location\n/* top */ parent', 'archived parent'],
    ['<!-- top\nlocation', 'archived location'],
    ['if (true) /re/.exec("re"); location', 'archived location'],
    ['var i = 1; i++ / 2; location', 'archived location'],
    ['var t = 9; t++ / top.length / 1', 0.75],
    ['`$' + '{`$' + '{location}`}`', 'archived location'],
  ])('%j gives %j', (script, expected) => {
    assert.equal(world().run(script), expected)
  })

  test('declares for those after it what it declared before', () => {
    const { run } = world()
    run(
      'document; let a = 1; const b = 2, { c, d: [e] } = { c: 3, d: [5] }; class F { static v = 6 }\n[1].map(() => 1)',
    )
    run('top; async function g() {} function* h() {} function i() { return 9 }')
    assert.equal(run('[a, b, c, e, F.v, typeof g, typeof h, i()].join()'), '1,2,3,5,6,function,function,9')
    assert.equal(run('var j = top; function k() { return location } k()'), 'archived location')
    assert.equal(run('j'), 'archived top')
  })

  test('can call its functions before they are declared, also from another script that it starts', () => {
    const { run } = world()
    assert.equal(run('var l = m(); function m() { return location } l'), 'archived location')
    assert.equal(run('location; globalThis; var n = (0, eval)("o()"); function o() { return 7 } n'), 7)
  })

  test('a name that every window has stays what the script made of it', () => {
    assert.equal(world().run('const name = [1, 2]; document; name.length'), 2)
    assert.equal(world().run('let self = 5, q = top; self'), 5)
  })

  test('keeps its line numbers', () => {
    const script = 'var a = 1\nlocation.x\nb()'
    assert.deepEqual(rewritten(script).split('\n').slice(1, 3), ['location.x', 'b()'])
  })

  test('assigning the location goes through wombat', () => {
    assert.match(rewritten('location = "/x"'), /location =\(\(self\.__WB_check_loc&&.*\.href= "\/x"/s)
    for (const script of [
      'var location = 1',
      'a.location = 1',
      'location == 1',
      'location => 1',
      '"location = 1"',
    ]) {
      assert.doesNotMatch(rewritten(script), /__WB_check_loc/)
    }
  })

  test('a dynamic import goes through wombat', () => {
    assert.equal(rewritten('import("./x.js")'), '____wb_rewrite_import__(null,"./x.js")')
    assert.equal(rewritten('x.import("y")'), 'x.import("y")')
  })

  test('is left alone where there is nothing to do', () => {
    for (const script of [
      '',
      'callback({"window":"location"})',
      '{"top": "this"}',
      'var a = 1; let b = 2',
      '/* document */',
    ]) {
      assert.equal(rewritten(script), script)
    }
    const once = rewritten('location.href')
    assert.equal(rewritten(once), once)
  })
})

describe('a module', () => {
  test('imports the names and has its imports rewritten where they need it', () => {
    assert.equal(
      rewritten(
        'import a, { b as c } from "https://x.org/a.js"; import "/r.js"; import "./s.js"; import d from "bare";\nexport * from "/e.js"; export { f } from "https://x.org/f.js"; console.log(location, import.meta.url)',
      ),
      'import{location}from"/web/_/scope.js";import a, { b as c } from "/web/20200101000000esm_/https://x.org/a.js"; import "/web/20200101000000esm_//r.js"; import "./s.js"; import d from "bare";\nexport * from "/web/20200101000000esm_//e.js"; export { f } from "/web/20200101000000esm_/https://x.org/f.js"; console.log(location, (globalThis._wb_wombat?.extract_orig(import.meta.url)??import.meta.url))',
    )
  })

  test('does not import what it declares itself', () => {
    for (const script of [
      'import { top } from "./x.js"; top()',
      'const top = 1; export { top }',
      'import top from "x"; top',
      'export function top() {} top()',
    ]) {
      assert.doesNotMatch(rewritten(script, 'module'), /scope\.js/, script)
    }
  })

  test('is told by what it does where nobody says', () => {
    for (const script of [
      'import "x"; top',
      'export default top',
      'export const a = top',
      'top; import.meta.url',
    ]) {
      assert.match(rewritten(script), /^import\{top\}from/, script)
    }
  })
})

test('a worker has no window', () => {
  assert.equal(rewritten('self.postMessage(location.href)', 'worker'), 'self.postMessage(location.href)')
})

test('modules of a worker stay a worker’s', () => {
  assert.match(rewritten("import '/a.js'", 'module-worker'), /^import '\/web\/[0-9]+wkrm_\/\/a.js'/)
})

test('what a script imports is relative to its file', () => {
  const inFile = { ...context, scriptUrl: 'http://a.org/js/app.js' }
  const expected = '____wb_rewrite_import__("http://a.org/js/app.js","./part.js")'
  assert.equal(rewriteScript('import("./part.js")', 'classic', inFile), expected)
  assert.equal(rewriteScript('import("./part.js")', 'worker', inFile), expected)
  assert.equal(rewritten('import("./part.js")'), '____wb_rewrite_import__(null,"./part.js")')
})

test('a handler is one line with no quote that ends it', () => {
  const handler = rewritten("location.href='/x'; return false", 'handler')
  assert.doesNotMatch(handler, /"/)
  assert.match(handler, /^\{let location=/)
})

test('hostile texts take no more than their time', () => {
  const hostile = [
    '/['.repeat(300_000),
    'import a '.repeat(100_000),
    'export '.repeat(100_000),
    '${'.repeat(300_000),
    `\`${'${`'.repeat(100_000)}`,
    'class '.repeat(100_000),
    'let {'.repeat(100_000),
    'this '.repeat(200_000),
  ]
  for (const text of hostile) rewritten(`top;${text}`)
})
