// `peer`, `ring`, `status`, `lookup` and `network`: a running archive, alone and with others.

import { type Command, Option } from 'commander'
import { agentName, nonNegativeNumber, positiveNumber } from '../input/option-values.ts'
import type { Perform } from '../program.ts'
import { collect, concurrencyDefault } from './shared-options.ts'

export function addPeerCommand(program: Command, perform: Perform): void {
  program
    .command('peer')
    .description('serve the archive until stopped; finish interrupted crawls, and keep fresh what it knows')
    .option('--http <host:port>', 'where to answer (default: localhost:7070)')
    .option('--open', 'open the archive in your browser, as its owner')
    .option('--listen <place>', 'where other peers reach this one: a port, or ADDRESS:PORT (default: 7071)')
    .option(
      '--join <address>',
      'a peer to begin with: HOST:PORT, a name with dnsaddr entries, or a multiaddress (repeatable)',
      collect,
    )
    .option(
      '--invite <invitation>',
      'join the network of this invitation; @FILE or - reads it from a file or standard input, which the process list does not show',
    )
    .addOption(
      new Option('--positions <count>', 'positions on the ring, 1 to 16 (default: by --share)').conflicts(
        'share',
      ),
    )
    .option('--share <size>', 'disk to give to the network: each 100GB are a position (default: 100GB)')
    .option(
      '--copies <count>',
      'peers that keep each thing, 1 to 16; the same for all peers of a network (default: 3)',
    )
    .option(
      '--fresh <span>',
      'visit pages at least this often, if politeness has room: 1d, 1h-7d, or example.com=6h (repeatable)',
      collect,
    )
    .option('--delay <ms>', 'pause after each response of a host', nonNegativeNumber)
    .option('--concurrency <count>', 'hosts asked at once', positiveNumber, concurrencyDefault)
    .option('--user-agent <name>', 'how to introduce ourselves', agentName)
    .option('--allow-address <cidr>', 'crawl this special range too (repeatable)', collect)
    .option('--insecure', 'take certificates that cannot be verified, and note it in the archive')
    .option('--ignore-robots', 'do not ask robots.txt nor obey noarchive and nofollow: for your own sites')
    .action(perform(async () => (await import('../commands/peer.ts')).runPeer))

  program
    .command('link')
    .description('print a link that makes the browser that opens it the owner’s, once and within an hour')
    .option('--open', 'open it in your browser')
    .option('--revoke', 'take the owner’s rights from all browsers, and from links not yet used')
    .action(perform(async () => (await import('../commands/link.ts')).ownerLink))
}

export function addRingCommands(program: Command, perform: Perform): void {
  program
    .command('ring')
    .description(
      'draw the ring as the running peer of this home knows it: positions, arcs, peers, round trips',
    )
    .action(perform(async () => (await import('../commands/ring.ts')).showRing))

  program
    .command('status')
    .description('how the archive and its network do: peers, copies, repair, links on their way, disk')
    .action(perform(async () => (await import('../commands/status.ts')).showStatus))

  program
    .command('lookup')
    .description('ask the running peer of this home who owns a key or a URL, and who keeps copies')
    .argument('<key|url>', 'a ring key of 40 hex digits, or a URL')
    .action(perform(async () => (await import('../commands/lookup.ts')).lookUp))

  const network = program
    .command('network')
    .description('the network that this home belongs to: make one, invite others, leave, forget who is dead')
    .action(perform(async () => (await import('../commands/network.ts')).showNetwork))

  network
    .command('create')
    .description('make a network, with this home as its first peer, and print an invitation')
    .argument('<name>')
    .option('--open', 'let everybody in who knows of it, without an invitation')
    .action(perform(async () => (await import('../commands/network.ts')).createNetwork))

  network
    .command('invite')
    .description('print an invitation for other homes: polyhistor peer --invite @FILE')
    .option('--uses <n>', 'good for so many members, 1 to 1000 (default: 1)')
    .option('--expires <time>', 'not to be used later than this from now, such as 7d (default: never)')
    .action(perform(async () => (await import('../commands/network.ts')).inviteOthers))

  network
    .command('leave')
    .description(
      'hand everything over to the other peers, leave the network for good, and stop the running peer',
    )
    .action(perform(async () => (await import('../commands/leave.ts')).leaveNetwork))

  network
    .command('forget')
    .description(
      'tell all peers that one that is away will not come back: what it kept is copied at once, not after days',
    )
    .argument('<peer>', 'its id, or the end of it as the status prints it')
    .action(perform(async () => (await import('../commands/forget.ts')).forgetPeer))
}
