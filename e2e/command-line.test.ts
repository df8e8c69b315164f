import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { polyhistor, root, runCommand, temporaryFolder } from './command.ts'

describe('every command', () => {
  test('shows help with exit code 0, and the list of commands when called bare', async () => {
    const bare = await polyhistor([])
    assert.equal(bare.code, 0)
    const commands = [...bare.output.matchAll(/^ {2}([a-z]+) /gm)]
      .map((match) => match[1]!)
      .filter((name) => name !== 'help')
    assert.ok(commands.includes('config') && commands.includes('url'), bare.output)
    for (const command of commands) {
      const help = await polyhistor([command, '--help'])
      assert.equal(help.code, 0, command)
      assert.match(help.output, new RegExp(`^Usage: polyhistor ${command}`))
      assert.match(help.output, /--home/)
    }
  })

  test('prints the version of package.json', async () => {
    const { version } = (await import('../package.json', { with: { type: 'json' } })).default
    assert.deepEqual(await polyhistor(['--version']), { code: 0, output: `${version}\n`, errors: '' })
  })

  test('says of URLs the same whether or not an option of all commands stands beside them', async () => {
    for (const words of [
      ['url', 'example.co.uk/a', 'ftp://x'],
      ['url', '--json', 'b.github.io'],
    ]) {
      const alone = await polyhistor(words)
      assert.deepEqual(await polyhistor([...words, '--home', await temporaryFolder()]), alone)
      assert.match(alone.output, /example\.co\.uk|b\.github\.io/)
    }
  })

  test('suggests the near match for an unknown command or option, with exit code 64', async () => {
    const command = await polyhistor(['cofnig'])
    assert.equal(command.code, 64)
    assert.match(command.errors, /Did you mean config\?/)
    const option = await polyhistor(['url', '--jsno', 'example.com'])
    assert.equal(option.code, 64)
    assert.match(option.errors, /Did you mean --json\?/)
  })

  test.each([
    [['crawl', 'http://example.com', '--allow-address', 'nonsense'], 64],
    [['crawl', 'http://example.com', '--include', '('], 64],
    [['crawl', 'http://example.com', '--types', 'moon'], 64],
    [['crawl', '--seeds', '/nowhere/seeds'], 66],
    [['crawl', 'ftp://example.com'], 65],
    [['peer', '--fresh', 'moon'], 64],
    [['explain', 'http://example.com', '--robots-file', '/nowhere/robots.txt'], 66],
    [['get', 'http://example.com', '--at', 'moon'], 64],
    [['export', '/nowhere/all.wacz'], 66],
    [['export', 'all.zip'], 64],
    [['peer', '--http', 'moon'], 64],
    [['peer', '--http', '203.0.113.1:7070'], 64],
    [['peer', '--positions', '99'], 64],
    [['peer', '--invite', 'moon'], 65],
    [['peer', '--join', 'moon'], 64],
    // Somebody forgot the unit.
    [['peer', '--invite', 'moon', '--share', '200'], 64],
    [['volunteer', '--up', 'moon'], 64],
    [['volunteer', '--down', '5'], 64],
    [['volunteer', '--bundles', '0'], 64],
    [['volunteer', '--invite', 'moon'], 65],
    [['network', 'invite'], 64],
    [['lookup', 'http://example.com'], 75],
    [['ring'], 75],
    [['help', 'moon'], 64],
  ] as [string[], number][])('%j is told as a mistake of its caller', async (words, code) => {
    const outcome = await polyhistor([...words, '--home', await temporaryFolder()])
    assert.equal(outcome.code, code, outcome.errors)
    assert.match(outcome.errors, /^(?:\{"level":40.*\n)?polyhistor: [^\n]+\n$/)
    assert.doesNotMatch(outcome.errors, /fault of this program/)
  })

  test('that lacks an argument or has too many says so as every mistake is said', async () => {
    for (const words of [['get'], ['config', 'moon'], ['store', 'moon']]) {
      const { code, errors } = await polyhistor(words)
      assert.equal(code, 64)
      assert.match(errors, /^polyhistor: /)
    }
  })

  test('has its help under help as well, also the commands of commands', async () => {
    const help = await polyhistor(['help', 'crawl', 'log'])
    assert.deepEqual([help.code, help.output], [0, (await polyhistor(['crawl', 'log', '--help'])).output])
    // Its own, and those of all commands; not those of the command that it belongs to.
    assert.match(help.output, /--outcome .*--home /s)
    assert.doesNotMatch(help.output, /--scope/)
  })

  test('says what is wrong with a home that is none, or that it cannot use', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'file')
    await writeFile(file, '')
    const none = await polyhistor(['versions', 'http://example.com', '--home', file])
    assert.equal(none.code, 64)
    assert.match(none.errors, /^polyhistor: .*file is no folder\. .*--home/)
    await mkdir(join(folder, 'identity.key'))
    const unusable = await polyhistor(['network', 'create', 'x', '--home', folder])
    assert.equal(unusable.code, 74)
    assert.match(unusable.errors, /^polyhistor: Cannot read .*identity\.key: [^\n]*\n$/)
  })

  test('runs from any folder, also through a symbolic link', async () => {
    const folder = await temporaryFolder()
    await symlink(join(root, 'bin', 'polyhistor'), join(folder, 'ph'))
    const { code, output } = await runCommand(join(folder, 'ph'), ['url', '--json', 'example.com'], {
      folder,
    })
    assert.equal(code, 0)
    assert.equal(JSON.parse(output).url, 'http://example.com/')
  })

  test('ends quietly when its reader goes away', async () => {
    const lines = 'http://example.com/\n'.repeat(20_000)
    const command = `'${join(root, 'bin', 'polyhistor')}' url --json - | head -n 1`
    const { code, output, errors } = await runCommand('sh', ['-c', command], { input: lines })
    assert.equal(code, 0)
    assert.equal(output.split('\n').length, 2)
    assert.equal(errors, '')
  })
})

describe('config', () => {
  test('tells each value, where it came from and what it trades off', async () => {
    const home = await temporaryFolder()
    await writeFile(join(home, 'config.toml'), '[store]\ncompression = "zstd"\n')
    const { code, output } = await polyhistor(['config', '--json', '--set', 'store.deltaChain=4'], {
      environment: { POLYHISTOR_HOME: home, POLYHISTOR_STORE_DELTAS: 'no' },
    })
    assert.equal(code, 0)
    const shown = JSON.parse(output)
    assert.deepEqual([shown.home.value, shown.home.source], [home, 'environment'])
    assert.deepEqual([shown['store.compression'].value, shown['store.compression'].source], ['zstd', 'file'])
    assert.deepEqual([shown['store.deltas'].value, shown['store.deltas'].source], [false, 'environment'])
    assert.deepEqual([shown['store.deltaChain'].value, shown['store.deltaChain'].source], [4, 'flag'])
    assert.deepEqual([shown['log.level'].value, shown['log.level'].source], ['warn', 'default'])
    assert.match(shown['store.volumeSize'].tradeOff, /volumes/)

    const table = await polyhistor(['config', '--home', home])
    assert.match(table.output, /^SETTING +VALUE +FROM +CHANGES BY +TRADE-OFF$/m)
    assert.match(table.output, /^store.compression +zstd +file +/m)
  })

  test('refuses a configuration that it does not understand with exit code 78', async () => {
    const home = await temporaryFolder()
    await writeFile(join(home, 'config.toml'), '[store]\ncompresion = "zstd"\n')
    const { code, output, errors } = await polyhistor(['config', '--home', home])
    assert.equal(code, 78)
    assert.equal(output, '')
    assert.match(
      errors,
      /store\.compresion in .*config\.toml names no setting\. Did you mean store\.compression\?/,
    )
  })

  test('says so when config.toml cannot be read', async () => {
    const home = await temporaryFolder()
    await mkdir(join(home, 'config.toml'))
    const { code, errors } = await polyhistor(['config', '--home', home])
    assert.equal(code, 78)
    assert.match(errors, /config\.toml cannot be read/)
  })
})

describe('url', () => {
  test('prints one JSON object a line, an error among them and in the exit code', async () => {
    const { code, output } = await polyhistor([
      'url',
      '--json',
      'HTTP://www.Example.com:80/a/../b?z=1&a=2#top',
      'http://',
    ])
    assert.equal(code, 1)
    const [good, bad, ...rest] = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(good, {
      input: 'HTTP://www.Example.com:80/a/../b?z=1&a=2#top',
      url: 'http://www.example.com/b?z=1&a=2',
      surt: 'com,example)/b?a=2&z=1',
      host: 'www.example.com',
      site: 'example.com',
      // printf example.com | sha256sum | cut -c1-40
      ringKey: 'a379a6f6eeafb9a55e378c118034e2751e682fab',
    })
    assert.deepEqual(Object.keys(bad), ['input', 'error'])
    assert.deepEqual(Object.keys(bad.error), ['code', 'message'])
    assert.deepEqual(rest, [])
  })

  test('reads lines from standard input, whatever they hold', async () => {
    const input = `http://a.example/\r\n\nhttps://b.example/x\nhttp://exa mple/\n${'x'.repeat(100_000)}\nhttp://last.example/`
    const { output } = await polyhistor(['url', '--json', '-'], { input })
    const urls = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).url)
    assert.deepEqual(urls, [
      'http://a.example/',
      'https://b.example/x',
      undefined,
      undefined,
      'http://last.example/',
    ])
  })

  test('prints a table for people, in which input cannot drive the terminal', async () => {
    const { output } = await polyhistor(['url', 'http://example.com/', '\u001b[31mred'])
    const [head, first, second] = output.split('\n')
    assert.match(head!, /^INPUT +URL +SURT +HOST +SITE +RING KEY$/)
    assert.match(first!, /com,example\)\//)
    assert.ok(second?.startsWith('\\x1b[31mred'), String(second))
  })
})
