package import Heartwood

/// A line that is easily read wrongly, and what it says: a form, or what only looks like one.
package struct LineCase: CustomStringConvertible, Sendable {
    package var kind: String
    package var time: String?
    package var level: LogLevel?
    /// The category; `*` where it does not matter.
    package var category: String?
    package var line: String

    package var description: String { "\(kind): \(line)" }

    /// Reads a table: under the name of each kind, time, level, category and line in columns.
    private init?(_ row: Substring, kind: String) {
        let columns = row.split(separator: " ¦ ", maxSplits: 3).map(String.init)
        guard columns.count == 4 else { return nil }
        let level = LogLevel(named: columns[1])
        guard columns[1] == "-" || level != nil else { return nil }
        (self.kind, self.level) = (kind, level)
        time = columns[0] == "-" ? nil : columns[0]
        category = columns[2] == "-" ? nil : columns[2]
        line = columns[3]
    }

    /// All rows; dates without a year are read on 2026-11-21T00:00:00Z.
    package static let all: [LineCase] = {
        var cases: [LineCase] = []
        var kind = ""
        for row in table.split(separator: "\n") {
            if row.hasPrefix("# ") {
                kind = String(row.dropFirst(2))
            } else if row.hasPrefix("+ ") {
                cases[cases.count - 1].line += row.dropFirst(2)
            } else {
                guard let one = LineCase(row, kind: kind) else { fatalError("no row: \(row)") }
                cases.append(one)
            }
        }
        return cases.map { one in
            var one = one
            one.line = one.line.split(separator: #"\t"#, omittingEmptySubsequences: false).joined(
                separator: "\t")
            return one
        }
    }()
}

/// The rows of the table.
private let table = #"""
    # a letter of a sentence
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 4711 A new client connected
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 #4711 A client left
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 16 A limit reached
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 20 C outside, 68 F inside
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 68 F inside
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 230 V supply: stable
    2026-06-16T21:05:29.123Z ¦ - ¦ - ¦ 16-Jun-2026 21:05:29.123 4711 A shop.test
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 A shop.test 10.0.0.1
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 I am up
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 D minor: 3 of 7 done
    - ¦ - ¦ - ¦ A client: left
    - ¦ - ¦ - ¦ E 12 units
    2026-06-16T21:05:29.123Z ¦ warning ¦ ShopPay ¦ 06-16 21:05:29.123  4711  4712 W ShopPay : slow answer
    2026-06-16T21:05:29.123456Z ¦ warning ¦ - ¦ W0616 21:05:29.123456   77 pay.go:12] slow answer
    - ¦ warning ¦ - ¦ [W] slow answer
    2026-06-16T21:05:29.123Z ¦ error ¦ - ¦ 2026-06-16 21:05:29.123 [E] cannot charge
    2026-06-16T21:05:29.123456Z ¦ warning ¦ etcdserver ¦ 2026-06-16 21:05:29.123456 W | etcdserver: slow
    2026-06-16T21:05:29.123Z ¦ error ¦ STORAGE ¦ 2026-06-16T21:05:29.123+0000 E STORAGE  [conn1] cannot open
    - ¦ warning ¦ ShopPay ¦ W/ShopPay( 4711): slow answer
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ E [16/Jun/2026:21:05:29 +0000] cannot print
    # Booleans in columns
    2026-06-16T21:05:29.123456Z ¦ - ¦ - ¦ 1781643929.123456\tCHhAvVGS1DHFjwGM9\t10.0.0.1\t51000\t443\tT\
    + tF\t-
    2026-06-16T21:05:29.123456Z ¦ - ¦ - ¦ 1781643929.123456\tT\tF\t(empty)
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 1781643929\tF\t17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29\tF\tT\t17\tann
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16T21:05:29Z\tT\t17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29\tann\tF\t17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29;T;17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29,F,17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 | T | 17
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 | F | ann
    2017-07-02T11:38:49.414Z ¦ info ¦ - ¦ 2017/07/02 11:38:49.414 | I | ready
    2026-06-16T21:05:29.123456Z ¦ verbose ¦ raft ¦ 2026-06-16 21:05:29.123456 T | raft: tick
    # a year in the line
    2020-06-16T21:05:29Z ¦ - ¦ sshd ¦ 2020 Jun 16 21:05:29 edge1 sshd[77]: Accepted publickey
    2020-06-16T21:05:29Z ¦ notice ¦ SYS ¦ <189>: 2020 Jun 16 21:05:29: %SYS-5-CONFIG_I: Configured from
    +  console
    2020-06-16T21:05:29Z ¦ notice ¦ sshd ¦ <189>2020 Jun 16 21:05:29 edge1 sshd: Accepted publickey
    2020-06-16T21:05:29Z ¦ - ¦ - ¦ 16 Jun 21:05:29 2020 ready
    2020-06-16T21:05:29Z ¦ - ¦ - ¦ Tue Jun 16 21:05:29 2020 ready
    - ¦ - ¦ * ¦ Tue Jun 16 21:05:29 IRST 2020 ready
    - ¦ - ¦ * ¦ Jun 16 21:05:29 IRST 2020 ready
    2020-06-16T19:05:29Z ¦ - ¦ * ¦ Tue Jun 16 21:05:29 CEST 2020 ready
    2020-06-16T21:05:29Z ¦ - ¦ * ¦ 16 Jun 20 21:05:29 ready
    2020-06-16T19:05:29Z ¦ - ¦ * ¦ Tue, 16 Jun 20 21:05:29 +0200 ready
    2020-06-16T19:05:29Z ¦ - ¦ * ¦ Tue, 16 Jun 2020 21:05:29 +0200 ready
    2020-06-16T21:05:29Z ¦ - ¦ * ¦ Jun 16 2020 21:05:29 edge1 : ready
    2020-06-16T21:05:29.123456Z ¦ info ¦ - ¦ 2020-Jun-16 21:05:29.123456 [info] ready
    2026-06-16T21:05:29Z ¦ - ¦ sshd ¦ Jun 16 21:05:29 edge1 sshd[77]: 2020 clients
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 16 Jun 21:05:29 4711 items
    2026-06-16T21:05:29.123Z ¦ - ¦ - ¦ 16 Jun 21:05:29.123 - 2020 items
    # a zone in front of the date
    2026-06-17T04:05:29Z ¦ error ¦ * ¦ [PDT Jun 16 21:05:29] error    : 'shop' process is not running
    2026-06-16T19:05:29Z ¦ info ¦ - ¦ [CEST Jun 16 21:05:29] info     : Starting daemon
    2026-06-16T21:05:29Z ¦ warning ¦ * ¦ [UTC Jun 16 21:05:29] warning  : 'shop' is slow
    2026-06-16T12:05:29Z ¦ debug ¦ * ¦ [JST Jun 16 21:05:29] debug    : 'shop' checked
    2026-06-17T02:05:29Z ¦ fatal ¦ * ¦ [EST Jun 16 21:05:29] emergency: cannot fork
    - ¦ error ¦ * ¦ [CST Jun 16 21:05:29] error    : 'shop' process is not running
    - ¦ error ¦ * ¦ [XYZ Jun 16 21:05:29] error    : 'shop' process is not running
    - ¦ - ¦ * ¦ xyz Jun 16 21:05:29 edge1 ready
    - ¦ - ¦ * ¦ Xyz Jun 16 21:05:29 edge1 ready
    - ¦ - ¦ * ¦ XYZ Jun 16 21:05:29 edge1 ready
    2026-06-17T04:05:29Z ¦ - ¦ * ¦ PDT Jun 16 21:05:29 edge1 ready
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ Tue Jun 16 21:05:29 edge1 ready
    - ¦ - ¦ - ¦ the Jun 16 21:05:29 report
    # what follows a priority
    2026-06-16T21:05:29Z ¦ fatal ¦ - ¦ <190>date=2026-06-16 time=21:05:29 devname="fw1" level=alert msg="x"
    2026-06-16T19:05:29Z ¦ notice ¦ - ¦ <189>date=2026-06-16 time=21:05:29 tz="+0200" level="notice" msg="x"
    2026-06-16T21:05:29Z ¦ error ¦ shop ¦ <134>1 2026-06-16T21:05:29Z fw1 shop 77 - - level=error order=17
    2026-06-16T21:05:29Z ¦ error ¦ shop ¦ <134>1 2026-06-16T21:05:29Z fw1 shop 77 - -
    +  {"level":"error","msg":"x"}
    2026-06-16T21:05:29Z ¦ error ¦ shop ¦ <134>1 2026-06-16T21:05:29Z fw1 shop 77 - [a@1 b="c"] ERROR boom
    2026-06-16T21:05:29Z ¦ error ¦ shop ¦ <134>1 2026-06-16T21:05:29Z fw1 shop 77 - [a@1 level="error"] boom
    2026-06-16T21:05:29Z ¦ info ¦ shop ¦ <134>1 2026-06-16T21:05:29Z fw1 shop 77 - - an error is no level
    2026-06-16T21:05:29Z ¦ error ¦ shop ¦ <13>Jun 16 21:05:29 web1 shop: ERROR boom
    2026-06-16T21:05:29Z ¦ notice ¦ shop ¦ <13>Jun 16 21:05:29 web1 shop[77]: boom
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ <14>{"time":"2026-06-16T21:05:29Z","level":"warn","msg":"slow"}
    - ¦ error ¦ - ¦ <14>level=error msg="boom"
    2026-06-16T21:05:29Z ¦ info ¦ shop ¦ <11>Jun 16 21:05:29 web1 shop: info: all is well
    2026-06-16T21:05:29Z ¦ info ¦ shop ¦ <14>Jun 16 21:05:29 web1 shop: an error is no level
    - ¦ error ¦ - ¦ <3>boom
    2026-06-16T21:05:29Z ¦ error ¦ kernel ¦ <3>Jun 16 21:05:29 web1 kernel: INFO: task kworker:1 blocked
    2026-06-16T21:05:29Z ¦ info ¦ kernel ¦ Jun 16 21:05:29 web1 kernel: INFO: task kworker:1 blocked
    # a number in front
    2026-10-22T16:10:10Z ¦ - ¦ - ¦ 931201168,2026-10-22T16:10:10Z,shop
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 1234567890 2026-06-16T21:05:29Z ERROR cannot charge
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 1234567890 2026-06-16 21:05:29 cannot charge
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 1234567890\t2026-06-16 21:05:29\tcannot charge
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ 1234567890|2026-06-16 21:05:29|cannot charge
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ 1234567890: 2026-06-16 21:05:29 cannot charge
    - ¦ - ¦ - ¦ 1234567890: order shipped
    - ¦ - ¦ - ¦ 1234567890 ordered by ann
    - ¦ - ¦ - ¦ 931201168,21.5,ok
    2026-06-16T21:05:29.123Z ¦ info ¦ * ¦ 1781643929.123    45 10.0.0.1 TCP_MISS/200 512 GET http://a/x -
    +  DIRECT/b -
    2026-06-16T21:05:29.123456Z ¦ - ¦ - ¦ 1781643929.123456 IP 10.0.0.1.443 > 10.0.0.2.51000: Flags [P.]
    2026-06-16T21:05:29.123Z ¦ error ¦ - ¦ 1781643929123 ERROR cannot charge
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 1781643929 ERROR cannot charge
    2026-06-16T21:05:29.123456Z ¦ - ¦ * ¦ 1781643929.123456: cannot charge
    # a column is no fraction
    2026-03-02T09:55:42Z ¦ - ¦ - ¦ 2026/03/02 09:55:42,12345678999,ok
    2026-03-02T09:55:42Z ¦ error ¦ - ¦ 2026-03-02 09:55:42,4711,ERROR,boom
    2026-03-02T09:55:42Z ¦ - ¦ - ¦ 2026-03-02 09:55:42,200,12
    2026-03-02T09:55:42Z ¦ - ¦ - ¦ 2026-03-02 09:55:42,12
    2026-03-02T09:55:42Z ¦ - ¦ - ¦ 2026-03-02 09:55:42,4711 items
    2026-03-02T09:55:42Z ¦ error ¦ - ¦ 2026-03-02 09:55:42,17,ann,ERROR,boom
    2026-03-02T09:55:42.471Z ¦ error ¦ - ¦ 2026-03-02 09:55:42,471 ERROR boom
    2026-03-02T09:55:42.471123Z ¦ - ¦ - ¦ 2026-03-02 09:55:42,471123 boom
    2026-03-02T09:55:42.471123456Z ¦ - ¦ - ¦ 2026-03-02 09:55:42,471123456 boom
    2026-03-02T09:55:42.4711Z ¦ - ¦ - ¦ 2026-03-02 09:55:42.4711 boom
    2026-03-02T08:55:42.471Z ¦ - ¦ - ¦ 2026-03-02T09:55:42,471+01:00 boom
    2026-03-02T09:55:42.4711234Z ¦ - ¦ - ¦ 2026-03-02T09:55:42,4711234Z boom
    2026-03-02T09:55:42.471Z ¦ error ¦ - ¦ [2026-03-02 09:55:42,471] ERROR boom
    2026-03-02T09:55:42.471Z ¦ info ¦ - ¦ 2026-03-02 09:55:42,471: INFO: boom
    # hours of one digit
    2013-03-24T09:04:00Z ¦ warning ¦ - ¦ 130324  9:04:00 [Warning] IP address could not be resolved
    2008-04-01T00:08:01Z ¦ - ¦ - ¦ # Time: 080401  0:08:01
    2013-03-24T09:04:00Z ¦ - ¦ * ¦ 130324  9:04:00\t   17 Connect\troot@localhost on shop
    2026-06-16T09:05:29Z ¦ notice ¦ - ¦ 2026-06-16  9:05:29 140213 [Note] ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 2026-06-16 9:05:29 ready
    2026-06-16T09:05:29Z ¦ - ¦ sshd ¦ Jun 16  9:05:29 edge1 sshd[77]: ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 2026/06/16  9:05:29 ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 16.06.2026  9:05:29 ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 16-Jun-2026  9:05:29 ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 06/16/2026  9:05:29 AM ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ 20260616  9:05:29 ready
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ Tue Jun 16  9:05:29 2026 ready
    - ¦ - ¦ - ¦ 130324  9 parts shipped
    - ¦ - ¦ - ¦ 130324 19:04 was the time
    # counters are no categories
    2026-06-16T21:05:29Z ¦ error ¦ postgres ¦ Jun 16 21:05:29 db1 postgres[835]: [17-1] ERROR:  relation
    +  "x" does not exist
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16 21:05:29 UTC [835-17] ERROR:  relation "x" does not exist
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ [Jun 16 21:05:29] WARNING[4711][C-0000001d]: chan_sip.c:1234
    +  handle: no answer
    2026-06-16T21:05:29Z ¦ notice ¦ - ¦ [Jun 16 21:05:29] NOTICE[4711]: chan_sip.c:1234 handle: no answer
    2026-06-16T21:05:29Z ¦ verbose ¦ pbx.c ¦ [Jun 16 21:05:29] VERBOSE[4711][C-0000001d] pbx.c: Executing
    2026-06-16T21:05:29Z ¦ notice ¦ mysqld ¦ Jun 16 21:05:29 db1 mysqld[77]: 2026-06-16T21:05:29.123456Z
    +  17 [Note] x
    2026-06-16T21:05:29Z ¦ error ¦ mysqld ¦ Jun 16 21:05:29 db1 mysqld: 2026-06-16 21:05:29 140213
    +  [ERROR] InnoDB: x
    2026-06-16T21:05:29Z ¦ info ¦ FTD ¦ <166>Jun 16 2026 21:05:29 fw1 : %FTD-6-302013: Built outbound TCP
    +  connection
    - ¦ - ¦ * ¦ LEEF:1.0|Shop|Pay|1.0|41|devTimeFormat=MMM dd yyyy HH:mm:ss|src=10.0.0.1
    2026-06-16T21:05:29Z ¦ - ¦ LEEF ¦ Jun 16 21:05:29 fw1 LEEF:1.0|Shop|Pay|1.0|41|devTimeFormat=MMM
    +  dd|src=10.0.0.1
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16 21:05:29 ERROR 7f3a91c2: cannot charge
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16 21:05:29 ERROR [req-12345678] cannot charge
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16 21:05:29 [17-1] ERROR: cannot charge
    2026-06-16T21:05:29Z ¦ error ¦ web1 ¦ 2026-06-16 21:05:29 ERROR web1: cannot charge
    2026-06-16T21:05:29Z ¦ error ¦ shop.v2 ¦ 2026-06-16 21:05:29 ERROR shop.v2: cannot charge
    # PHP
    2026-06-16T21:05:29Z ¦ fatal ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Fatal error:  Uncaught Exception: x
    +  in /srv/a.php:12
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Warning:  Undefined variable $a
    +  in /srv/a.php on line 3
    2026-06-16T21:05:29Z ¦ notice ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Notice:  Undefined index: a in
    +  /srv/a.php on line 3
    2026-06-16T21:05:29Z ¦ notice ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Deprecated:  Optional parameter in
    +  /srv/a.php
    2026-06-16T21:05:29Z ¦ fatal ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Parse error:  syntax error,
    +  unexpected end of file
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Recoverable fatal error:  Argument
    +  1 must be
    - ¦ warning ¦ - ¦ [16-Jun-2026 21:05:29 Europe/Berlin] PHP Warning:  x
    - ¦ fatal ¦ - ¦ PHP Fatal error:  Uncaught Exception: x in /srv/a.php:12
    - ¦ warning ¦ - ¦ PHP Warning:  Undefined variable $a in /srv/a.php on line 3
    2026-06-16T21:05:29Z ¦ warning ¦ php ¦ Jun 16 21:05:29 web1 php[77]: PHP Warning:  Undefined variable $a
    2026-06-16T21:05:29Z ¦ notice ¦ - ¦ [16-Jun-2026 21:05:29] NOTICE: fpm is running, pid 1
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP Stack trace:
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ [16-Jun-2026 21:05:29 UTC] PHP warnings: none today
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ [16-Jun-2026 21:05:29 UTC] a PHP Warning: is not at the beginning
    # Cisco
    2026-06-16T21:05:29Z ¦ info ¦ ASA ¦ Jun 16 21:05:29 fw1 %ASA-6-302013: Built outbound TCP connection
    2026-06-16T21:05:29Z ¦ info ¦ ASA ¦ Jun 16 2026 21:05:29: %ASA-6-302013: Built outbound TCP connection
    2026-06-16T21:05:29Z ¦ error ¦ LINK ¦ Jun 16 21:05:29 edge1 4711: *Jun 16 21:05:29: %LINK-3-UPDOWN:
    +  Interface Gi0/1, changed state
    2026-06-16T19:05:29.123Z ¦ notice ¦ SYS ¦ <189>4711: edge1: Jun 16 21:05:29.123 CEST:
    +  %SYS-5-CONFIG_I: Configured
    2026-06-16T21:05:29.123Z ¦ error ¦ LINK ¦ *Jun 16 21:05:29.123: %LINK-3-UPDOWN: Interface Gi0/1,
    +  changed state
    2026-06-16T21:05:29Z ¦ notice ¦ ETHPORT ¦ 2026 Jun 16 21:05:29 edge1 %ETHPORT-5-IF_UP: Interface
    +  Ethernet1/1 is up
    2026-06-16T21:05:29Z ¦ fatal ¦ RP/0/0 ¦ Jun 16 21:05:29 edge1 RP/0/0: config[65703]:
    +  %MGBL-CONFIG-2-DB_COMMIT: x
    - ¦ error ¦ LINK ¦ %LINK-3-UPDOWN: Interface Gi0/1, changed state to down
    2026-06-16T21:05:29Z ¦ warning ¦ SYS ¦ <187>Jun 16 21:05:29 edge1 77: Jun 16 21:05:29: %SYS-4-CPU: x
    2026-06-16T21:05:29Z ¦ error ¦ SYS ¦ 004711: Jun 16 21:05:29: %SYS-3-CPUHOG: Task ran for 2000 ms
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 saw %LINK-3-UPDOWN in the text
    - ¦ - ¦ - ¦ %LINK-9-UPDOWN: no severity
    - ¦ - ¦ - ¦ %a-3-b: not in capitals
    - ¦ error ¦ LINK ¦ *Mar  1 00:00:12.345: %LINK-3-UPDOWN: Interface Gi0/1, changed state
    - ¦ error ¦ LINK ¦ *Mar  1 1993 00:00:12: %LINK-3-UPDOWN: Interface Gi0/1, changed state
    2026-11-20T10:20:30Z ¦ error ¦ ETHPORT ¦ <187>Nov 20 10:20:30 nx : 2026 Nov 20 10:20:30 UTC:
    +  %ETHPORT-3-IF_DOWN: x
    - ¦ - ¦ - ¦ %A-3-B: hi
    # date= and time=
    2026-06-16T21:05:29Z ¦ fatal ¦ - ¦ date=2026-06-16 time=21:05:29 devname="fw1" level="alert" msg="x"
    2026-06-16T19:05:29Z ¦ notice ¦ - ¦ date=2026-06-16 time=21:05:29 devname="fw1" tz="+0200"
    +  level="notice" msg="x"
    - ¦ - ¦ - ¦ date=2026-06-16,time=21:05:29.5,devname=fw1
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ date="2026-06-16" time="21:05:29" user=ann
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ device="fw1" date=2026-06-16 time=21:05:29 priority=Information
    - ¦ info ¦ - ¦ time=21:05:29 level=info msg="no day"
    - ¦ info ¦ - ¦ date=2026-06-16 level=info msg="no clock"
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ time=2026-06-16T21:05:29Z date=2026-06-17 level=info msg="x"
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ {"date":"2026-06-16","time":"21:05:29","msg":"x"}
    - ¦ - ¦ - ¦ {"date":"2026-06-16","time":"soon","msg":"x"}
    2026-06-16T21:05:29Z ¦ - ¦ kernel ¦ Jun 16 21:05:29 fw1 kernel: date=2026-06-17 time=21:05:29 x=1
    # Redis
    2026-05-30T10:03:19Z ¦ notice ¦ - ¦ [4711] 30 May 10:03:19 * Server started
    2026-05-30T10:03:19.123Z ¦ warning ¦ - ¦ [4711] 30 May 10:03:19.123 # WARNING overcommit_memory is
    +  set to 0
    2026-05-30T10:03:19.123Z ¦ debug ¦ - ¦ [4711] 30 May 10:03:19.123 . 0 clients connected
    2026-05-30T10:03:19.123Z ¦ info ¦ - ¦ [4711] 30 May 10:03:19.123 - Accepted 10.0.0.1:51000
    2026-05-30T10:03:19Z ¦ notice ¦ - ¦ 30 May 10:03:19 * Server started
    2026-05-30T10:03:19.123Z ¦ notice ¦ - ¦ 4711:S 30 May 10:03:19.123 * MASTER <-> REPLICA sync
    2026-05-30T10:03:19.123Z ¦ warning ¦ - ¦ 4711:M 30 May 2026 10:03:19.123 # Server initialized
    2026-05-30T10:03:19Z ¦ - ¦ - ¦ 2026-05-30 10:03:19 * starred
    2026-05-30T10:03:19Z ¦ - ¦ - ¦ 2026-05-30 10:03:19 - ready
    2026-05-30T10:03:19Z ¦ - ¦ - ¦ 30 May 10:03:19 ready *
    2026-05-30T10:03:19Z ¦ - ¦ * ¦ May 30 10:03:19 web1 * ready
    2026-06-16T21:05:29.123Z ¦ error ¦ my.mod ¦ [1234] 2026-06-16 21:05:29,123 - my.mod - ERROR - failed
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ [1234] 2026-06-16 21:05:29 - started
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ [1234] 2026-06-16 21:05:29 # x
    # load balancers
    2026-06-16T21:05:29.123456Z ¦ info ¦ - ¦ http 2026-06-16T21:05:29.123456Z app/shop/50dc6c495c0c9188
    +  10.0.0.1:2817
    +  10.0.0.2:80 0.000 0.001 0.000 200 200 34 366 "GET http://shop.test:80/ HTTP/1.1" "curl/7.46.0" - -
    2026-06-16T21:05:29.123456Z ¦ error ¦ - ¦ https 2026-06-16T21:05:29.123456Z app/shop/50dc6c495c0c9188
    +  10.0.0.1:2817
    +  - -1 -1 -1 502 - 34 366 "GET https://shop.test:443/ HTTP/1.1" "curl/7.46.0" ECDHE TLSv1.2
    2026-06-16T21:05:29.123456Z ¦ warning ¦ - ¦ h2 2026-06-16T21:05:29.123456Z app/shop/50dc6c495c0c9188
    +  10.0.0.1:2817
    +  10.0.0.2:80 0.000 0.001 0.000 404 404 34 366 "GET https://shop.test:443/ HTTP/2.0" "curl/7.46.0" - -
    2026-06-16T21:05:29.123456Z ¦ info ¦ - ¦ wss 2026-06-16T21:05:29.123456Z app/shop/50dc6c495c0c9188
    +  10.0.0.1:2817
    +  10.0.0.2:80 0.000 0.001 0.000 101 101 34 366 "GET wss://shop.test:443/ HTTP/1.1" "-" - -
    2026-06-16T21:05:29.123456Z ¦ error ¦ - ¦ 2026-06-16T21:05:29.123456Z shop-lb 10.0.0.1:2817
    +  10.0.0.2:80 0.000073
    +  0.001048 0.000057 503 200 0 29 "GET http://shop.test:80/ HTTP/1.1"
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ tls 2.0 2026-06-16T21:05:29 net/shop/c6e77e28c25b2234 g3d4b5e8bb8464cd
    +  10.0.0.1:51341
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ tls 1.0 2026-06-16T21:05:29 net/shop/c6e77e28c25b2234 g3d4b5e8bb8464cd
    +  10.0.0.1:51341
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ http 2026-06-16T21:05:29Z is a word and a time
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ 2026-06-16T21:05:29Z paid 500 200 0 29 "GET is a word"
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ 2026-06-16T21:05:29Z shop 1 2 3 "GET http://shop.test:80/ HTTP/1.1"
    # letters in brackets
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ (W) 2026-06-16T21:05:29 - slow answer
    2026-06-16T21:05:29Z ¦ notice ¦ - ¦ (N) 2026-06-16T21:05:29 - started
    2026-06-16T21:05:29Z ¦ fatal ¦ - ¦ (C) 2026-06-16T21:05:29 - disk is full
    2026-06-16T21:05:29.123Z ¦ warning ¦ - ¦ <W>2026-06-16 21:05:29.123 Initializing settings
    2026-06-16T21:05:29.123Z ¦ fatal ¦ - ¦ <F>2026-06-16 21:05:29.123 SSL is missing
    - ¦ error ¦ - ¦ [    12.345] (EE) Failed to load module
    - ¦ warning ¦ - ¦ [    12.345] (WW) The directory does not exist
    - ¦ info ¦ - ¦ [    12.345] (II) Loading extension
    - ¦ - ¦ - ¦ [    12.345] (==) Using config file
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 2026-06-16 21:05:29 (C) 2026 Shop
    - ¦ - ¦ - ¦ (C) 2026 Shop, all rights reserved
    - ¦ - ¦ - ¦ (A) is the first answer
    - ¦ - ¦ - ¦ <F> is a tag
    # epochs in brackets
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ [1781600729] SERVICE ALERT: web1;HTTP;CRITICAL;SOFT;1;no answer
    2026-06-16T09:05:29Z ¦ error ¦ unbound ¦ [1781600729] unbound[77:0] error: could not open ports
    2026-06-16T09:05:29Z ¦ info ¦ unbound ¦ [1781600729] unbound[77:0] info: start of service
    2026-06-16T09:05:29Z ¦ notice ¦ nsd ¦ [1781600729] nsd[77]: notice: nsd starting
    2026-06-16T09:05:29.123Z ¦ notice ¦ nsd ¦ [2026-06-16 09:05:29.123] nsd[77]: notice: nsd starting
    2026-06-16T09:05:29Z ¦ warning ¦ - ¦ [1781600729] Warning: Host 'web1' has no services
    2026-06-16T09:05:29.123456Z ¦ - ¦ - ¦ [1781600729.123456] ready
    - ¦ - ¦ * ¦ [1781600729] wproc: Core Worker 77: job
    - ¦ - ¦ - ¦ [1234567] ready
    - ¦ - ¦ - ¦ [12345678901234] ready
    - ¦ - ¦ - ¦ [   12.345678] usb 1-1: new device
    - ¦ - ¦ - ¦ see [1781600729] for more
    - ¦ - ¦ - ¦ [1342177280] thread started
    - ¦ - ¦ - ¦ [3000000000] X
    - ¦ - ¦ - ¦ [1700000000][5] y
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ [1781600729] LOG ROTATION: DAILY
    2026-06-16T09:05:29Z ¦ - ¦ - ¦ [1781600729] SERVICE FLAPPING ALERT: web1;HTTP;STARTED
    2026-06-16T09:05:29Z ¦ - ¦ * ¦ 1781600729: mosquitto version 2.0.11 starting
    # Icinga
    2026-06-16T19:05:29Z ¦ fatal ¦ checker ¦ [2026-06-16 21:05:29 +0200] critical/checker: cannot run
    2026-06-16T19:05:29Z ¦ info ¦ ConfigItem ¦ [2026-06-16 21:05:29 +0200] information/ConfigItem:
    +  Committing
    2026-06-16T19:05:29Z ¦ warning ¦ PluginUtility ¦ [2026-06-16 21:05:29 +0200] warning/PluginUtility:
    +  Error
    2026-06-16T19:05:29Z ¦ notice ¦ JsonRpc ¦ [2026-06-16 21:05:29 +0200] notice/JsonRpc: x
    2026-06-16T19:05:29Z ¦ debug ¦ IdoPgsql ¦ [2026-06-16 21:05:29 +0200] debug/IdoPgsql: x
    - ¦ - ¦ * ¦ critical/cli: Config validation failed
    2026-06-16T19:05:29Z ¦ - ¦ * ¦ [2026-06-16 21:05:29 +0200] warnings/pages: none
    2026-06-16T19:05:29Z ¦ - ¦ * ¦ [2026-06-16 21:05:29 +0200] error/404.html was asked for
    # spellings of dates
    2026-04-07T12:11:06Z ¦ error ¦ - ¦ [20260407-12:11:06] ERROR boom
    2026-04-07T12:11:06.123Z ¦ - ¦ - ¦ 20260407-12:11:06.123 boom
    2022-01-25T10:20:30Z ¦ - ¦ - ¦ 01/25/22 10:20:30 boom
    2017-06-09T20:10:40Z ¦ info ¦ - ¦ 17/06/09 20:10:40 INFO boom
    - ¦ - ¦ - ¦ 06/05/26 10:20:30 boom
    2023-08-01T10:20:30Z ¦ - ¦ - ¦ 1/Aug/2023:10:20:30 +0000 boom
    2023-08-01T10:20:30Z ¦ - ¦ - ¦ 1/Aug/2023 10:20:30 boom
    2014-06-22T10:20:30Z ¦ - ¦ - ¦ 22-06-2014 10:20:30 boom
    2014-06-22T10:20:30Z ¦ - ¦ - ¦ 06-22-2014 10:20:30 boom
    - ¦ - ¦ - ¦ 05-06-2014 10:20:30 boom
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ 06/16 21:05:29 boom
    - ¦ - ¦ - ¦ 06/05 21:05:29 boom
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ June 16, 2026 21:05:29 boom
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ June 16, 2026 9:05:29 PM boom
    2026-06-16T21:05:29Z ¦ - ¦ - ¦ Tuesday, June 16, 2026 9:05:29 PM boom
    2026-06-16T19:05:29Z ¦ - ¦ - ¦ Tue Jun 16 2026 21:05:29 GMT+0200 (Central European Summer Time) boom
    2026-06-16T19:05:29Z ¦ - ¦ - ¦ Tue Jun 16 2026 21:05:29 GMT+0200 (CEST) boom
    2026-06-16T21:05:29.123Z ¦ - ¦ - ¦ 2026-06-16 21:05:29.123 +0000 UTC m=+0.001 boom
    2026-06-16T19:05:29.123Z ¦ - ¦ - ¦ 2026-06-16 21:05:29.123 +0200 CEST boom
    2026-06-16T19:05:29Z ¦ - ¦ - ¦ Started GET "/pay" for 127.0.0.1 at 2026-06-16 21:05:29 +0200
    2017-01-01T00:00:00Z ¦ - ¦ - ¦ 2016-12-31T23:59:60Z boom
    2017-01-01T00:00:00.5Z ¦ - ¦ - ¦ 2016-12-31 23:59:60.5 boom
    - ¦ - ¦ - ¦ 2016-12-31T23:59:61Z boom
    - ¦ - ¦ - ¦ 2016-12-31T12:30:60Z boom
    - ¦ - ¦ - ¦ June 16 was a good day
    # LTSV
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ time:2026-06-16T21:05:29Z\tlevel:ERROR\tmessage:boom
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ time:[16/Jun/2026:21:05:29 +0000]\thost:10.0.0.1\treq:GET /
    +  HTTP/1.1\tstatus:500
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ host:10.0.0.1\ttime:16/Jun/2026:21:05:29 +0000\tstatus:404\tsize:12
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ level:info\ttime:2026-06-16T21:05:29Z\tmsg:ready
    - ¦ - ¦ * ¦ shop:\tready
    - ¦ - ¦ * ¦ a:1\tis not a pair
    # compose and pairs
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ shop  | time=2026-06-16T21:05:29Z level=WARN msg=slow
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ shop-1  | time=2026-06-16T21:05:29Z level=WARN msg=slow
    2026-06-16T21:05:29Z ¦ warning ¦ - ¦ db  | {"time":"2026-06-16T21:05:29Z","level":"warn","msg":"slow"}
    - ¦ warning ¦ - ¦ shop  | level=WARN msg=slow
    - ¦ - ¦ - ¦ name  | size=large color=red
    # words in capitals
    2026-06-16T21:05:29.123Z ¦ warning ¦ - ¦ [2026-06-16 21:05:29,123] p1 {taskinstance.py:1150} WARNING - x
    2026-06-16T21:05:29Z ¦ info ¦ * ¦ 2026-06-16 21:05:29 WEB INFO ready
    2026-06-16T21:05:29.123456Z ¦ error ¦ app ¦ 2026.06.16 21:05:29.123456 [ 12 ] {a1-b2} <Error> app: x
    2026-06-16T21:05:29.123456Z ¦ error ¦ app ¦ 2026.06.16 21:05:29.123456 [ 12 ] {} <Error> app: x
    - ¦ - ¦ - ¦ SERVICE ALERT: web1
    - ¦ - ¦ - ¦ NO WARNING: x
    - ¦ - ¦ - ¦ MORE INFO: https://shop.test
    - ¦ - ¦ - ¦ SECURITY ALERT: Host header forgery
    - ¦ error ¦ - ¦ ERROR: x
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ 2026-06-16 21:05:29 UTC [77] LOG:  statement: select 1
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16 21:05:29 UTC:10.0.0.1(5):bo@shop:[1]:ERROR:  x
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ [2026/06/16 21:05:29] [ info] ready
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ 2026-06-16 21:05:29 [info     ] ready
    2026-06-16T21:05:29Z ¦ - ¦ dnsmasq ¦ Jun 16 21:05:29 dnsmasq[123]: ready
    2026-06-16T21:05:29Z ¦ error ¦ auth ¦ Jun 16 21:05:29 auth: Error: x
    2026-06-16T21:05:29Z ¦ error ¦ - ¦ 2026-06-16T21:05:29Z E! [inputs.cpu] x
    2026-06-16T21:05:29.123Z ¦ info ¦ ServerApp ¦ [I 2026-06-16 21:05:29.123 ServerApp] ready
    2026-06-16T21:05:29.123Z ¦ - ¦ - ¦ 1234:20260616:210529.123 ready
    - ¦ - ¦ * ¦ 2026-06-16 21:05:29 US/Eastern ready
    - ¦ - ¦ * ¦ Created: 2026-06-16 21:05:29
    - ¦ - ¦ - ¦ Started at 2026-06-16 21:05:29 by ann
    - ¦ - ¦ * ¦ time:lunch\tlevel:high
    2026-06-16T21:05:29Z ¦ info ¦ - ¦ ﻿2026-06-16 21:05:29 INFO ready
    # JSON of cloud services
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"CreationTime":"2026-06-16T21:05:29","Id":"a","Operation":"UserLogge
    + dIn"}
    - ¦ - ¦ * ¦ {"kind":"admin#reports","id":{"time":"2026-06-16T21:05:29Z","customerId":"C1"}}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"name":"pack","hostIdentifier":"web1","unixTime":1781643929,"action"
    + :"added"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"name":"pack","unixTime":"1781643929","action":"added"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"createdDateTime":"2026-06-16T21:05:29Z","userDisplayName":"ann"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"activityDateTime":"2026-06-16T21:05:29Z","result":"success"}
    2026-06-16T21:05:29.5Z ¦ - ¦ * ¦ {"kind":"Event","requestReceivedTimestamp":"2026-06-16T21:05:29.500
    + 000Z","verb":"get"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"published":"2026-06-16T21:05:29Z","eventType":"user.session.start"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"created_at":"2026-06-16T21:05:29Z","action":"repo.create"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"expirationTime":"2030-01-01T00:00:00Z","eventTime":"2026-06-16T21:0
    + 5:29Z"}
    2026-06-16T21:05:29Z ¦ - ¦ * ¦ {"startTime":"2026-06-16T21:05:29Z","endTime":"2026-06-16T21:06:29Z"}
    - ¦ - ¦ * ¦ {"expirationTime":"2030-01-01T00:00:00Z","user":"ann"}
    - ¦ - ¦ * ¦ {"elapsedTime":1781643929,"user":"ann"}
    - ¦ - ¦ * ¦ {"lastLoginTime":"2020-01-01T00:00:00Z","user":"ann"}
    - ¦ info ¦ * ¦ {"created_at":"2020-01-01T00:00:00Z","level":"info","msg":"user loaded"}
    - ¦ - ¦ * ¦ {"birthdate":"2000-01-01","user":"ann"}
    """#
