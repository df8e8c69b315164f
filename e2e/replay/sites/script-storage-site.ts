// Scripts that keep things: databases and caches, in pages and workers. The live browser's own are the measure for ours.

import { script, tiles } from '../files.ts'
import type { Answers } from '../origin-web.ts'
import { scriptTiles } from '../tile-page.ts'

/** Used by the page and by its worker. */
const helpers = `
  function done(request) {
    return new Promise(function (resolve, reject) {
      request.onsuccess = function () { resolve(request.result) }
      request.onerror = function (event) { event.preventDefault(); reject(request.error) }
    })
  }
  function ended(transaction) {
    return new Promise(function (resolve) {
      transaction.oncomplete = function () { resolve('complete') }
      transaction.onabort = function () { resolve('abort ' + (transaction.error && transaction.error.name)) }
    })
  }
  function opened(name, version, upgrade) {
    var request = indexedDB.open(name, version)
    request.onupgradeneeded = function (event) { upgrade(request.result, request.transaction, event) }
    return done(request)
  }
  function people(name) {
    return opened(name, 1, function (db) {
      var store = db.createObjectStore('people', { keyPath: 'id' })
      store.createIndex('city', 'address.city')
      store.createIndex('mail', 'mail', { unique: true })
      store.createIndex('tags', 'tags', { multiEntry: true })
      var list = [['b', 'Ulm'], ['a', 'Bonn'], ['d', 'Ulm'], ['c', 'Aue']]
      list.forEach(function (one) { store.add({ id: one[0], address: { city: one[1] }, mail: one[0] + '@x', tags: [one[0], 'all'] }) })
    })
  }
  function store(db, mode, name) { return db.transaction(name || 'people', mode).objectStore(name || 'people') }
  function walked(source, range, direction, each) {
    return new Promise(function (resolve, reject) {
      var found = []
      var request = source.openCursor(range, direction)
      request.onerror = function () { reject(request.error) }
      request.onsuccess = function () {
        var cursor = request.result
        if (!cursor) { resolve(found.join(' ')); return }
        found.push(cursor.key + ':' + cursor.primaryKey)
        if (each) each(cursor)
        else cursor.continue()
      }
    })
  }
  function thrown(work) { try { work() } catch (error) { return error.name } return 'nothing' }`

const tests: Readonly<Record<string, string>> = {
  'database-new': `return opened('new', undefined, function (db, transaction, event) {
    self.upgrade = [db.version, event.oldVersion, event.newVersion, transaction.mode].join()
    db.createObjectStore('a')
  }).then(function (db) { return same([db.name, db.version, db.objectStoreNames.length, db.objectStoreNames.contains('a'), upgrade].join(), 'new,1,1,true,1,0,1,versionchange') })`,
  'database-versions': `return opened('versions', 1, function (db) { db.createObjectStore('a') }).then(function (db) {
    db.onversionchange = function () { db.close() }
    return opened('versions', 3, function (db, t, event) { db.deleteObjectStore('a'); db.createObjectStore('b'); self.from = event.oldVersion })
  }).then(function (db) {
    db.close()
    return done(indexedDB.open('versions', 2)).then(function () { return 'opened' }, function (error) {
      return same([error.name, from, Array.from(db.objectStoreNames)].join(), 'VersionError,1,b')
    })
  })`,
  'database-blocked': `return opened('blocked', 1, function () {}).then(function (db) {
    var heard = []
    db.onversionchange = function (event) { heard.push('change' + event.newVersion) }
    var request = indexedDB.deleteDatabase('blocked')
    request.onblocked = function () { heard.push('blocked'); db.close() }
    return done(request).then(function () { return same(heard.join(), 'changenull,blocked') })
  })`,
  'database-list': `return people('listed').then(function () { return indexedDB.databases() }).then(function (all) {
    return same(all.filter(function (one) { return one.name === 'listed' }).map(function (one) { return one.name + one.version }).join(), 'listed1')
  })`,
  'put-get': `return people('put').then(function (db) {
    var at = store(db, 'readwrite')
    at.put({ id: 'e', when: new Date(5), bytes: new Uint8Array([1, 2]), map: new Map([[1, 2]]) })
    return done(at.get('e')).then(function (value) {
      return done(at.get('none')).then(function (none) {
        return same([value.when.getTime(), value.bytes[1], value.map.get(1), none].join(), '5,2,2,')
      })
    })
  })`,
  copies: `return people('copies').then(function (db) {
    var value = { id: 'z', list: [1] }
    var written = done(store(db, 'readwrite').put(value))
    value.list.push(2)
    return written.then(function () { return done(store(db).get('z')) }).then(function (first) {
      first.list.push(3)
      return done(store(db).get('z')).then(function (second) { return same(second.list.join(), '1') })
    })
  })`,
  generated: `return opened('generated', 1, function (db) {
    db.createObjectStore('a', { autoIncrement: true })
    db.createObjectStore('b', { keyPath: 'key.id', autoIncrement: true })
  }).then(function (db) {
    var t = db.transaction(['a', 'b'], 'readwrite'), a = t.objectStore('a'), b = t.objectStore('b')
    return Promise.all([done(a.add('x')), done(a.add('y', 7)), done(a.add('z')), done(b.add({})), done(b.get(1))]).then(function (all) {
      return same(JSON.stringify(all), '[1,7,8,1,{"key":{"id":1}}]')
    })
  })`,
  ranges: `return people('ranges').then(function (db) {
    var at = store(db)
    return Promise.all([
      done(at.getAllKeys()), done(at.getAllKeys(IDBKeyRange.bound('a', 'c', true, false))), done(at.getAllKeys(IDBKeyRange.lowerBound('c'))),
      done(at.getAllKeys(null, 2)), done(at.count(IDBKeyRange.upperBound('b'))), done(at.getKey(IDBKeyRange.lowerBound('bb'))), done(at.index('city').getAllKeys('Ulm')),
      done(at.index('city').count()), done(at.index('tags').getAllKeys('all')), done(at.index('mail').get('c@x')),
    ]).then(function (all) { return same(JSON.stringify(all.slice(0, 9)) + all[9].id, '[["a","b","c","d"],["b","c"],["c","d"],["a","b"],2,"c",["b","d"],4,["a","b","c","d"]]c') })
  })`,
  'key-order': `return opened('order', 1, function (db) { db.createObjectStore('a') }).then(function (db) {
    var at = store(db, 'readwrite', 'a')
    var keys = ['b', 10, new Date(3), [1, 'a'], 'a', -1, [1], new Uint8Array([2]), [2, []], Infinity]
    keys.forEach(function (key) { at.put(1, key) })
    return done(at.getAllKeys()).then(function (all) {
      return same(all.map(function (key) { return key instanceof Date ? 'date' : key instanceof ArrayBuffer ? 'bytes' : JSON.stringify(key) }).join(' '),
        '-1 10 null date "a" "b" bytes [1] [1,"a"] [2,[]]') && same([indexedDB.cmp(1, 2), indexedDB.cmp('a', 1), indexedDB.cmp([1], [1])].join(), '-1,1,0')
    })
  })`,
  cursors: `return people('cursors').then(function (db) {
    var at = store(db)
    return Promise.all([walked(at), walked(at, null, 'prev'), walked(at.index('city')), walked(at.index('city'), null, 'nextunique'),
      walked(at.index('city'), null, 'prevunique'), walked(at.index('city'), 'Ulm', 'prev'),
      walked(at, null, 'next', function (cursor) { cursor.advance(2) }), walked(at, null, 'next', function (cursor) { cursor.key < 'c' ? cursor.continue('c') : cursor.continue() }),
      walked(at.index('city'), null, 'next', function (cursor) { cursor.key < 'Ulm' ? cursor.continuePrimaryKey('Ulm', 'c') : cursor.continue() })])
      .then(function (all) {
        return same(all.join('; '), 'a:a b:b c:c d:d; d:d c:c b:b a:a; Aue:c Bonn:a Ulm:b Ulm:d; Aue:c Bonn:a Ulm:b; Ulm:b Bonn:a Aue:c; Ulm:d Ulm:b; a:a c:c; a:a c:c d:d; Aue:c Ulm:d')
      })
  })`,
  'cursor-writes': `return people('cursor-writes').then(function (db) {
    var t = db.transaction('people', 'readwrite'), at = t.objectStore('people')
    return walked(at, null, 'next', function (cursor) {
      if (cursor.key === 'b') cursor.delete()
      else { var value = cursor.value; value.address.city = 'Hof'; cursor.update(value) }
      cursor.continue()
    }).then(function () { return Promise.all([done(at.index('city').getAllKeys('Hof')), done(at.count())]) }).then(function (all) { return same(all.join(), 'a,c,d,3') })
  })`,
  constraints: `return people('constraints').then(function (db) {
    var t = db.transaction('people', 'readwrite'), at = t.objectStore('people'), heard = []
    db.onerror = function (event) { heard.push('db ' + event.target.error.name) }
    var request = at.add({ id: 'f' })
    at.add({ id: 'a' })
    return ended(t).then(function (how) {
      return Promise.all([done(store(db).count()), done(store(db, 'readwrite').add({ id: 'a' })).catch(function (error) { return error.name }),
        done(store(db, 'readwrite').put({ id: 'g', mail: 'a@x' })).catch(function (error) { return error.name })])
        .then(function (all) { return same([how, request.result, all, heard[0]].join(), 'abort ConstraintError,f,4,ConstraintError,ConstraintError,db ConstraintError') })
    })
  })`,
  aborted: `return people('aborted').then(function (db) {
    var t = db.transaction('people', 'readwrite'), at = t.objectStore('people')
    at.delete('a'); at.put({ id: 'b', address: { city: 'Hof' } }); at.clear(); at.add({ id: 'q' })
    at.count().onsuccess = function () { t.abort() }
    return ended(t).then(function (how) {
      return Promise.all([done(store(db).getAllKeys()), done(store(db).index('city').getAllKeys()), done(store(db).index('tags').count('a'))])
        .then(function (all) { return same([how, all].join(), 'abort null,a,b,c,d,c,a,b,d,1') })
    })
  })`,
  'upgrade-aborted': `return done((function () {
    var request = indexedDB.open('upgrade-aborted', 4)
    request.onupgradeneeded = function () { request.result.createObjectStore('x'); request.transaction.abort() }
    return request
  })()).then(function () { return 'opened' }, function (error) {
    return opened('upgrade-aborted', 1, function () {}).then(function (db) { return same([error.name, db.version, db.objectStoreNames.length].join(), 'AbortError,1,0') })
  })`,
  turns: `return people('turns').then(function (db) {
    var heard = []
    var write = db.transaction('people', 'readwrite')
    write.objectStore('people').put({ id: 'w' }).onsuccess = function () { heard.push('write') }
    var read = db.transaction('people')
    read.objectStore('people').get('w').onsuccess = function (event) { heard.push('read ' + !!event.target.result) }
    return Promise.all([ended(write).then(function () { heard.push('written') }), ended(read)]).then(function () { return same(heard.join(), 'write,written,read true') })
  })`,
  promised: `return people('promised').then(async function (db) {
    var t = db.transaction('people', 'readwrite'), at = t.objectStore('people')
    var first = await done(at.get('a'))
    await null; await null
    first.seen = (first.seen || 0) + 1
    await done(at.put(first))
    var second = await done(at.get('a'))
    var how = await ended(t)
    return same([second.seen, how, thrown(function () { at.get('a') })].join(), '1,complete,TransactionInactiveError')
  })`,
  refusals: `return people('refusals').then(function (db) {
    return same([
      thrown(function () { db.transaction('none') }), thrown(function () { db.createObjectStore('x') }), thrown(function () { store(db).put({ id: 1 }) }),
      thrown(function () { store(db, 'readwrite').put({}) }), thrown(function () { store(db, 'readwrite').put({ id: {} }) }), thrown(function () { store(db, 'readwrite').put({ id: 1, f: function () {} }) }),
      thrown(function () { store(db).get(undefined) }), thrown(function () { indexedDB.open('x', 0) }), thrown(function () { store(db).index('none') }),
      thrown(function () { indexedDB.open('y').result }),
    ].join(), 'NotFoundError,InvalidStateError,ReadOnlyError,DataError,DataError,DataCloneError,DataError,TypeError,NotFoundError,InvalidStateError')
  })`,
  kinds: `return people('kinds').then(function (db) {
    var t = db.transaction('people'), at = t.objectStore('people'), request = at.openCursor()
    return done(request).then(function (cursor) {
      return db instanceof IDBDatabase && t instanceof IDBTransaction && at instanceof IDBObjectStore && request instanceof IDBRequest &&
        at.index('city') instanceof IDBIndex && cursor instanceof IDBCursorWithValue && cursor instanceof IDBCursor && indexedDB instanceof IDBFactory &&
        same([t.mode, at.keyPath, at.autoIncrement, at.index('mail').unique, at.index('tags').multiEntry, request.source === at, request.transaction === t, t.db === db, typeof IDBOpenDBRequest].join(),
          'readonly,id,false,true,true,true,true,true,function')
    })
  })`,
  many: `return opened('many', 1, function (db) { db.createObjectStore('a').createIndex('half', 'half') }).then(async function (db) {
    var t = db.transaction('a', 'readwrite')
    for (var at = 0; at < 3000; at++) t.objectStore('a').put({ half: at >> 1 }, (at * 7919) % 3000)
    await ended(t)
    var keys = await done(store(db, 'readonly', 'a').getAllKeys())
    var last = await walked(store(db, 'readonly', 'a').index('half'), IDBKeyRange.lowerBound(1498), 'prev')
    return same([keys.length, keys[0], keys[2999], last.split(' ').length].join(), '3000,0,2999,4')
  })`,
  'cache-put': `return caches.open('one').then(async function (cache) {
    await cache.put('/script/stored?x=1', new Response('kept', { status: 201, headers: { 'X-Own': 'yes' } }))
    var found = await cache.match(location.origin + '/script/stored?x=1')
    var again = await cache.match('stored', { ignoreSearch: true })
    return same([found.status, found.headers.get('X-Own'), await found.text(), await again.text(), await cache.match('stored')].join(), '201,yes,kept,kept,')
  })`,
  'cache-add': `return caches.open('two').then(async function (cache) {
    await cache.addAll(['data.json', '/script/classic.js'])
    var keys = (await cache.keys()).map(function (request) { return new URL(request.url).pathname })
    var found = await caches.match('/script/data.json')
    return same([keys, (await found.json()).ok, await caches.has('two'), await cache.delete('data.json'), (await cache.keys()).length].join(), '/script/data.json,/script/classic.js,true,true,true,1')
  })`,
  'cache-list': `return caches.open('three').then(async function () {
    var names = await caches.keys()
    await caches.delete('three')
    return same([names.indexOf('three') >= 0, await caches.has('three'), await caches.match('/none')].join(), 'true,false,')
  })`,
  'cache-missing': `return caches.open('four').then(function (cache) { return cache.add('/missing') }).then(function () { return 'added' }, function (error) { return same(error.name, 'TypeError') })`,
  quota: `return navigator.storage.estimate().then(function (found) { return found.quota > 1000000 })`,
  worker: `return new Promise(function (resolve) {
    var worker = new Worker('storing.js')
    worker.onmessage = function (event) { resolve(event.data) }
  })`,
  'worker-module': `return new Promise(function (resolve) {
    var worker = new Worker('storing.js', { type: 'module' })
    worker.onmessage = function (event) { resolve(event.data) }
  })`,
}

export function scriptStorage(): Answers {
  const steps = Object.entries(tests).map(([name, body]) => `tile('${name}', function () { ${body} })`)
  return {
    'museum/script/storage': tiles({
      title: 'Databases and caches',
      tiles: scriptTiles(...Object.keys(tests)),
      script: `${helpers}
        function same(found, expected) { return found === expected || String(found) }
        ${steps.join('\n')}`,
    }),
    'museum/script/storing.js': script(`${helpers}
      Promise.all([people('worker' + Math.random()), caches.open('worker')]).then(async function (all) {
        await all[1].put('kept', new Response('x'))
        var kept = await all[1].match('/script/kept')
        var count = await done(store(all[0]).index('city').count('Ulm'))
        postMessage(count === 2 && await kept.text() === 'x' || String(count))
      }).catch(function (error) { postMessage(String(error)) })`),
  }
}
