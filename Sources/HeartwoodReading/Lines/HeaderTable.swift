/// What lines of text begin with before their message, as data for ``LineHeader``.
///
/// Each row is a form, the program that writes it, and a line for it, which the tests read. A blank in a
/// form matches blanks and tabs, `~` does the same or matches nothing, `^` matches a tab, `%` with a letter a
/// ``Part``, and any other character itself. The message begins where the form ends.
///
/// Of rows that begin alike, a longer one that matches wins over a shorter one; otherwise, the upper one
/// wins.
struct HeaderTable: Sendable {
    /// What a part of a form matches, and what it is.
    enum Part: Character, Sendable {
        /// The time, also in brackets or quotes; without these; in brackets; whether it was one as syslog has
        /// it.
        case time = "t", bareTime = "T", timeInBrackets = "0", timeOfSyslog = "y"
        /// A number of seconds since 1970 in brackets, as the time.
        case epochInBrackets = "2"
        /// Seconds since the start of a system, with a fraction: the day is unknown.
        case uptime = "1"
        /// A number of seconds since 1970, as the time.
        case epoch = "n"
        /// A word for a level: right after the time, in capitals, or in any case.
        case levelAfterTime = "f", capitalLevel = "L", anyLevel = "l"
        /// What is in brackets, where it is a level: `error`, `core:error`, `main/INFO`, `E`.
        case levelInBrackets = "v"
        /// A letter that is a level, a mark of Redis, a word that only Apple or MySQL has.
        case levelLetter = "e", levelMark = "i", levelKind = "k"
        /// A letter that is a level in a column of its own, where `T` and `F` may be true and false; a letter
        /// that is there twice.
        case columnLetter = "V", twoLetters = "Q"
        /// The words of PHP, such as `Fatal error`.
        case levelOfPHP = "H"
        /// `%LINK-3-UPDOWN` of Cisco: the category, the level, and the mnemonic, which is a field.
        case ciscoCode = "Y"
        /// The end of a level, with colons; the same, where something follows.
        case endOfLevel = ".", innerEndOfLevel = "+"
        /// The category: a name as loggers have it, or modules, or any that is hardly the word of a sentence.
        case logger = "c", module = "m", name = "a"
        /// A name in the same word as the colon, or the last dot, that comes next.
        case nameAndColon = "C", nameAndDot = "D"
        /// A name, and the separator after it: `Pay: `, `Pay : `, `Pay - `.
        case nameAndSeparator = "N"
        /// A name in capitals.
        case capitalName = "W"
        /// A word, which is the category where it looks like a logger.
        case word = "u"
        /// The name in the tag of syslog, and in that of Android.
        case syslogTag = "g", androidTag = "r"
        case host = "o", process = "p", thread = "h", hexThread = "X", stream = "M", client = "K"
        case threadNumber = "Z"
        /// What is in brackets: a process, a thread, a client, a category or a place, by its form.
        case inBrackets = "b"
        /// A place in a source file.
        case source = "s"
        /// What is skipped: a word, a number, all up to the next character of the form, pairs (which become
        /// fields), a hexadecimal number, an identifier of 36 characters, something in parentheses, a symbol
        /// that is not ASCII.
        case anyWord = "w", number = "d", anything = "j", pairs = "x", hexNumber = "z", identifier = "U"
        case fourDigits = "R"
        case parentheses = "q", symbol = "S"
        /// What other tools put in front of a line: the name of a file, up to a colon or a blank, and the
        /// number of a line in it; of a pod, a container or a process.
        case file = "F", fileAndBlank = "J", fileLine = "I", pod = "O", container = "B", unit = "E"
        /// A line, a date, or anything begins here; none is a part of the header.
        case lineAhead = "<", dateAhead = "A", somethingAhead = "6"
        /// Up to six tokens that headers have in front of a time or a level, as few as possible: brackets,
        /// numbers, names, places, pairs, separators.
        case tokens = "*"
        /// A separator, if there is one: `:`, ` - `.
        case separator = "-"
        /// What follows a level and is not the message yet: a time, brackets, a place, a name, separators.
        case tail = "="
        /// What follows is the line of a program.
        case line = ">"
        /// There is a priority of syslog in front.
        case priority = "P"
        /// A time of glog.
        case googleTime = "G"
        /// A character of the form itself, blanks, and the same or none.
        case text = "%", blanks = " ", maybeBlanks = "~"

        /// Whether the header keeps nothing of it.
        var isSkipped: Bool {
            switch self {
            case .blanks, .maybeBlanks, .timeOfSyslog, .priority, .endOfLevel, .innerEndOfLevel, .anyWord,
                .number, .anything, .parentheses, .pairs, .hexNumber, .identifier, .symbol, .fourDigits,
                .lineAhead,
                .dateAhead, .somethingAhead:
                true
            default: false
            }
        }

        var needs: Needs {
            switch self {
            case .time, .bareTime, .timeInBrackets, .epochInBrackets, .googleTime, .dateAhead: .time
            case .levelAfterTime, .capitalLevel, .anyLevel, .levelInBrackets, .levelLetter, .levelMark,
                .levelKind, .columnLetter, .twoLetters, .levelOfPHP, .ciscoCode:
                .level
            default: .nothing
            }
        }

        /// What it may begin with, so that most parts that do not match cost nothing.
        fileprivate var starts: ByteSet {
            switch self {
            case .blanks: .blanks
            case .epoch, .googleTime, .process, .threadNumber, .hexThread, .hexNumber, .fileLine: .digits
            case .levelAfterTime, .anyLevel, .levelKind, .pairs, .pod: .letters
            case .capitalLevel, .levelLetter, .columnLetter, .twoLetters, .levelOfPHP, .capitalName: .capitals
            case .ciscoCode: .percent
            case .timeInBrackets, .epochInBrackets: .brackets
            case .uptime: .digits
            case .container, .unit: .letters
            case .stream: .streams
            case .number: .numbers
            default: .all
            }
        }
    }

    /// What a line must have for a row to match.
    struct Needs: OptionSet, Sendable {
        let rawValue: UInt8

        static let nothing: Needs = []
        static let level = Needs(rawValue: 1)
        static let time = Needs(rawValue: 2)
    }

    struct Row {
        let form: StaticString
        let program: StaticString
        let line: StaticString

        init(_ form: StaticString, _ program: StaticString, _ line: StaticString) {
            (self.form, self.program, self.line) = (form, program, line)
        }
    }

    static let rows: [Row] = [
        // The time in brackets, and what only some write after it
        Row("%0 %l : ", "Monit", "[CET Nov 20 10:20:30] error    : x"),
        Row("%0 %l/%C:", "Icinga", "[2026-11-20 10:20:30 +0100] critical/checker: x"),
        Row("%0 %L[%p]: %s %w ", "Asterisk", "[Nov 20 10:20:30] WARNING[4711]: pbx.c:12 pbx_exec: x"),
        Row(
            "%0 %L[%p][%b]: %s %w ", "Asterisk", "[Nov 20 10:20:30] WARNING[4711][C-00000001]: p.c:12 f: x"),
        Row("%0 %L[%p]%.%=", "Asterisk 18", "[Nov 20 10:20:30] WARNING[4711] pbx.c: x"),
        Row("%0 %L[%p][%b]%.%=", "Asterisk 18", "[Nov 20 10:20:30] WARNING[4711][C-0000001d] pbx.c: x"),
        Row("%0 %g[%p:%h] %l:%.", "Unbound", "[2026-11-20 10:20:30] unbound[77:0] error: x"),
        Row("%0 %g[%p]: %l:%.", "NSD", "[2026-11-20 10:20:30.123] nsd[77]: notice: x"),
        Row("%0 PHP %H:", "PHP", "[20-Nov-2026 10:20:30 UTC] PHP Fatal error:  x"),
        Row("%2 %g[%p:%h] %l:%.", "Unbound", "[1795170030] unbound[77:0] error: x"),
        Row("%2 %g[%p]: %l:%.", "NSD", "[1795170030] nsd[77]: error: x"),
        Row("%2 %l:%.", "Nagios", "[1795170030] Warning: x"),
        Row("%2 ", "Nagios", "[1795170030.123] x"),
        // Columns with tabs
        Row("%t^%l^%s^", "zap, no name", "2026-11-20T10:20:30.123+0100\tWARN\tshop/main.go:12\tx"),
        Row("%t^%l^%m^%s^", "zap", "2026-11-20T10:20:30.123+0100\tWARN\tshop\tshop/main.go:12\tx"),
        Row("%t^%l^%m^", "zap, no place", "2026-11-20T10:20:30.123+0100\tWARN\thttp.auto\tx"),
        Row("%t^%l^", "zap", "2026-11-20T10:20:30.123+0100\tWARN\tx"),
        Row(
            "%t^%U^%L^", "AWS Lambda",
            "2026-11-20T10:20:30.123Z\t8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tERROR\tx"),
        // Level after the time
        Row(
            "%t %f %p --- [%j] [%b] %N", "Spring Boot 3",
            "2026-11-20T10:20:30.123Z  WARN 4711 --- [shop] [  main] c.acme.Pay : x"),
        Row(
            "%t %f %p --- [%b] %N", "Spring Boot",
            "2026-11-20 10:20:30.123  INFO 4711 --- [  main] c.acme.Pay   : x"),
        Row("%t %f [%b] %N", "log4j", "2026-11-20 10:20:30,123 WARN  [pool-1] com.acme.Pay - x"),
        Row(
            "%t %f [%b] %c (%s) - ", "log4j, place",
            "2026-11-20 10:20:30,123 DEBUG [main] shop.Pay (Pay.java:42) - x"),
        Row("%t %f [%b] %c ", "Tomcat", "20-Nov-2026 10:20:30.123 INFO [main] org.apache.Catalina.start x"),
        Row("%t %f [%b] - ", "log4j, no logger", "2015-07-29 17:41:44,747 WARN [main] - x"),
        Row("%t %f [%b] (%h) ", "Quarkus", "2026-11-20 10:20:30,123 ERROR [org.acme.Pay] (main) x"),
        Row("%t %f [%s]", "Kafka Connect", "[2020-12-10 06:56:41,092] DEBUG [connect.client:69] x"),
        Row("%t %f %a %s ", "Heartwood", "2026-11-20 10:20:30.123Z info    payments Shop.swift:42 x"),
        Row("%t %f %s ", "Heartwood, no category", "2026-11-20 10:20:30.123Z info    Shop.swift:42 x"),
        Row(
            "%t %f request{%j}: %N", "tracing, in a span",
            "2026-11-20T10:20:30.1Z DEBUG request{id=7}: shop::pay: x"),
        Row("%t %f %a : [%w ", "swift-log", "2026-11-20T10:20:30+0100 error shop : [Shop] x"),
        Row(
            "%t %f %a : %x [%w ", "swift-log, metadata",
            "2026-11-20T10:20:30+0100 error shop : order=17 [Shop] x"),
        Row("%t %f %a (%s) - ", "log4j, place", "2026-11-20 10:20:30,123 DEBUG shop.Pay (Pay.java:42) - x"),
        Row("%t %f %N", "Spark", "17/06/09 20:10:40 INFO spark.SecurityManager: x"),
        Row("%t %f%.%=", "any", "2026-11-20 10:20:30 ERROR x"),
        Row("%t %E | %>", "foreman", "10:20:30 web.1  | x"),
        Row("%t%y %a: %l:%.", "Dovecot", "Nov 20 10:20:30 auth: Error: x"),
        Row("%t%y %i ", "Redis, no process", "20 Nov 10:20:30 # x"),
        // Syslog, whose time has no year, or a zone
        Row("%t%y %o %L%.%=", "syslog without a tag", "Nov 20 10:20:30 web1 ERROR: x"),
        Row("%t%y %o %Y~:", "Cisco", "Nov 20 10:20:30 fw1 %ASA-6-302013: x"),
        Row("%t%y %o : %>", "Cisco, kept by syslogd", "Nov 20 10:20:30 edge1 : x"),
        Row("%t%y %o %d: %>", "Cisco, kept by syslogd", "Nov 20 10:20:30 edge1 4711: x"),
        Row("%t%y %o %g%q:%>", "syslogd, without a process", "Nov 20 10:20:30 web1 kernel: x"),
        Row("%t%y %g[%p]:%>", "syslogd, without a host", "Nov 20 10:20:30 dnsmasq[123]: x"),
        Row("%t%y %o %g%q[%p] ", "syslogd, without a colon", "Nov 20 10:20:30 mac sandboxd[129] x"),
        // Tools that keep the lines of others
        Row("%t %M F %>", "containerd", "2026-11-20T10:20:30.5Z stderr F x"),
        Row("%t %M P %>", "containerd, in parts", "2026-11-20T10:20:30.5Z stdout P x"),
        Row("%t %o %g%q[%p]:%>", "syslog-ng", "2026-11-20 10:20:30 web1 sshd[24200]: x"),
        Row(
            "%w %n %d.%d.%d %w %T %o %g%q[%p]:%>", "Thunderbird",
            "- 1131566461 2005.11.09 dn1 Nov 9 12:01:01 d/d cron[9]: x"),
        Row(
            "%w %n %d.%d.%d %w %T %o %g%q:%>", "Thunderbird",
            "- 1131566461 2005.11.09 dn1 Nov 9 12:01:01 d/d kernel: x"),
        Row("%w %n %d.%d.%d %w %T ", "Thunderbird", "- 1131566461 2005.11.09 dn1 Nov 9 12:01:01 x"),
        Row(
            "%w %n %d.%d.%d %w %T %u RAS %w %L ", "BlueGene",
            "- 1117838573 2005.06.03 R02-M1 2005-06-03-15.42.53.276129 R02-M1:C RAS KERNEL INFO x"),
        Row(
            "%w %n %d.%d.%d %w %T %u %w %w %L ", "BlueGene",
            "- 1117838573 2005.06.03 R02-M1 2005-06-03-15.42.53.276129 NULL NULL DISCOVERY INFO x"),
        Row("%d %w %w %w %n %d ", "HPC", "344518 node-246 unix.hw state_change.unavailable 1084270955 1 x"),
        // Apple
        Row(
            "%t %X %k %z %p %d %w (%j) [%c]", "unified log",
            "2026-11-20 10:20:30.1+0100 0x30 Info 0x0 4711 0 shop: (Pay) [com.acme:pay] x"),
        Row(
            "%t %X %k %z %p %d %w [%c]", "unified log",
            "2026-11-20 10:20:30.1+0100 0x30 Error 0x0 4711 0 shop: [com.acme:pay] x"),
        Row(
            "%t %X %k %z %p %d %g: (%j)", "unified log",
            "2026-11-20 10:20:30.1+0100 0x30 Default 0x0 0 0 kernel: (AppleUSB) x"),
        Row(
            "%t %X %k %z %p %d %g:", "unified log",
            "2026-11-20 10:20:30.1+0100 0x30 Default 0x0 0 0 kernel: x"),
        Row("%t %X %k %z %p ", "unified log", "2026-11-20 10:20:30.1+0100 0x30 Default 0x0 0 x"),
        Row("%t %g[%p:%h] ", "NSLog", "2026-11-20 10:20:30.1+0100 shop[4711:81234] x"),
        // Android and glog
        Row("%t %p %Z %e %r~: ", "logcat", "11-20 10:20:30.123  4711  4712 E ShopPay : x"),
        Row("%t %d %p %Z %e %r~: ", "logcat, user", "11-20 10:20:30.123  1000  4711  4712 E ShopPay: x"),
        Row("%t %e/%r~(~%p):", "logcat, time", "11-20 10:20:30.123 F/libc    ( 4711): x"),
        Row("%e/%r~(~%p):", "logcat, brief", "W/ActivityManager(  585): x"),
        Row("%e %r~: ", "logcat, tag", "E AndroidRuntime: x"),
        Row("%e [%T] ", "CUPS", "E [20/Nov/2026:10:20:30 +0100] x"),
        Row("%e%G %h %s]", "glog", "E1120 10:20:30.123456   77 main.cc:12] x"),
        Row("%e%G ", "glog, without a place", "I1120 10:20:30.1 x"),
        // Marks between the parts
        Row("%t, %f ", "Windows", "2016-09-28 04:30:31, Info                  x"),
        Row("%t,%L,", "comma-separated", "2026-11-20,10:20:30,ERROR,x"),
        Row("%t:%L:%C:", "Jetty", "2015-03-12T23:16:52.071:INFO:com.root:x"),
        Row("%t - %f [%b] - ", "ZooKeeper", "2015-07-29 19:04:12,394 - INFO  [/10.10.34.11:3888] - x"),
        Row("%t - %a - %L - ", "Python", "2026-11-20 10:20:30,123 - app.web - CRITICAL - x"),
        Row("%t | %l | %s - ", "loguru", "2026-11-20 10:20:30.123 | ERROR    | shop.pay:charge:12 - x"),
        Row("%t | %V | ", "Tencent QQ", "2017/07/02 11:38:49.414 | I | x"),
        Row("%t|%l|%c|", "NLog", "2026-11-20 10:20:30.1234|ERROR|Shop.Pay|x"),
        Row("%t|%l|", "NLog", "2026-11-20 10:20:30.1234|ERROR|x"),
        // Something between the time and the level
        Row("%t %x [%v]%.", "Elixir", "10:20:30.123 request_id=F8aB [info] x"),
        Row("%t %x %l:%.", "Sidekiq", "2026-11-20T10:20:30.123Z pid=4711 tid=j0p class=PayJob INFO: x"),
        Row(
            "%t %x %T [%b] - %L [%b] - ", "ZooKeeper in a container",
            "2024-04-04T20:30:55.424+02:00 source=a 2024-04-04 18:30:54,422 [myid:] - INFO [x] - x"),
        Row("%t %p %L %c ", "OpenStack", "2017-05-16 00:00:00.272 25746 INFO nova.wsgi.server x"),
        Row("%t %p %L %N", "HDFS", "081109 203807 222 INFO dfs.DataNode$PacketResponder: x"),
        Row("%t %p]%L:%C:", "VMware", "2015-04-24T21:09:29.296 25376]INFO:module:x"),
        Row(
            "%t [%b]^%l^%N", "Jenkins",
            "2026-11-20 10:20:30.123+0000 [id=42]\tINFO\thudson.lifecycle.Lifecycle#onReady: x"),
        Row("%t [%b] %L %N", "logback", "2026-11-20 10:20:30.123 [main] TRACE com.acme.shop.Pay - x"),
        Row("%t [%a] %l:%.", "Winston", "2026-11-20T10:20:30.123Z [shop] error: x"),
        Row("%t [%b] [%v] [%c]", "any", "[2026-11-20 10:20:30] [main] [INFO] [shop.Pay] x"),
        Row("%t [%b] [%v]%=", "gunicorn", "[2026-11-20 10:20:30 +0100] [4711] [INFO] x"),
        Row("%t [%b] %L%.", "any", "2026-11-20 10:20:30 [main] ERROR x"),
        Row("%t [%b] %w %L:", "PostgreSQL, user", "2026-11-20 10:20:30.123 CET [4711] bo@shop ERROR:  x"),
        Row(
            "%t[%b][%v][%a] [%s]", "Envoy",
            "[2026-11-20 10:20:30.123][4711][critical][main] [source/server.cc:114] x"),
        Row(
            "%t [%v] [%c/]:", "Forge",
            "[20Nov2026 10:20:30.123] [Server thread/WARN] [net.MinecraftServer/]: x"),
        Row("%t [%v]:", "Minecraft", "[10:20:30] [Server thread/INFO]: x"),
        Row("%t [%v] %p#%h: ", "nginx", "2026/11/20 10:20:30 [emerg] 4711#4712: x"),
        Row(
            "%t [%v] [pid %p:tid %h] [client %K]", "Apache 2.4, client",
            "[Fri Nov 20 10:20:30.123456 2026] [core:error] [pid 4711:tid 139] [client 10.0.0.1:51000] x"),
        Row(
            "%t [%v] [pid %p] [client %K]", "Apache 2.4, client",
            "[Fri Nov 20 10:20:30.123456 2026] [core:error] [pid 4711] [client 10.0.0.1:51000] x"),
        Row(
            "%t [%v] [pid %p:tid %h]", "Apache 2.4",
            "[Fri Nov 20 10:20:30.123456 2026] [core:error] [pid 4711:tid 139] x"),
        Row("%t [%v] [pid %p]", "Apache 2.4", "[Fri Nov 20 10:20:30.123456 2026] [core:error] [pid 4711] x"),
        Row("%t [%v] [client %K]", "Apache", "[Sun Dec 04 05:15:09 2005] [error] [client 222.166.160.184] x"),
        Row("%t [%v] <%j> ", "RabbitMQ", "2026-11-20 10:20:30.123456+01:00 [info] <0.474.0> x"),
        Row("%t [%v] %N", "Nomad", "2026-11-20T10:20:30.123Z [WARN]  client.fingerprint: x"),
        Row("%t [%v]%=", "any", "[2026-11-20 10:20:30] [error] x"),
        Row(
            "%t %h [%v] [MY-%d] [%a]", "MySQL 8",
            "2020-08-06T14:25:02.936146Z 0 [Warning] [MY-010068] [Server] x"),
        Row(
            "%t %h [%k] [MY-%d] [%a]", "MySQL 8, system",
            "2020-08-06T14:25:02.936146Z 0 [System] [MY-010068] [Server] x"),
        Row("%t {%s} %L - ", "Airflow", "[2026-11-20T10:20:30.123+0000] {taskinstance.py:1157} INFO - x"),
        Row("%t %e | %N", "etcd", "2026-11-20 10:20:30.123456 C | etcdmain: x"),
        Row("%t %e | ", "etcd, no name", "2026-11-20 10:20:30.123456 C | x"),
        Row("%t %e %W [%b] ", "MongoDB", "2026-11-20T10:20:30.123+0100 I  NETWORK  [listener] x"),
        Row(
            "%t %p:%w %T %i ", "Redis, time of the container",
            "2026-11-20T10:20:30.5Z 1:C 20 Nov 2026 10:20:30.123 # x"),
        Row("%t %S %L%.", "SwiftyBeaver", "10:20:30.123 \u{2764}\u{FE0F} ERROR x"),
        Row("%t %D.%L:%.", "Laravel", "[2026-11-20 10:20:30] local.ERROR: x"),
        // Anything between the time and the level
        Row("%t ##[%v]", "GitHub", "2026-11-20T10:20:30.1234567Z ##[error]x"),
        Row("%t %e! ", "Telegraf", "2026-11-20T10:20:30Z E! x"),
        Row("%t: %e %s]", "TensorFlow", "2026-11-20 10:20:30.123456: W tensorflow/core/a.cc:12] x"),
        Row(
            "%t:%j:%j:[%p]:%L:%.", "PostgreSQL of AWS",
            "2026-11-20 10:20:30 UTC:10.0.0.1(5):bo@shop:[1]:ERROR:  x"),
        Row("%t%*%Y~:", "Cisco", "Nov 20 2026 10:20:30 fw1 : %ASA-6-302013: x"),
        Row("%t - %f%.%=", "any", "2026-11-20T10:20:30.123Z - error - x"),
        Row("%t%*%L%+%=", "any", "2026-11-20 10:20:30 4711 shop.pay - ERROR x"),
        Row("%t%*[%v]%=", "any", "2026-11-20T10:20:30.123456Z 0 [Note] x"),
        Row("%t%*(%v)%=", "any", "2026-11-20 10:20:30 4711 (ERROR) x"),
        Row("%t%*<%v> %=", "any", "2026-11-20 10:20:30 [ 12 ] <Error> x"),
        Row("%t%*%l:%.%=", "any", "2026-11-20 10:20:30: error: x"),
        Row("%t%*|~%l~|%=", "any, in bars", "10:20:30 | shop.pay |debug| x"),
        Row("%t%*{%v}%=", "any", "2026-11-20 10:20:30 {ERROR} x"),
        Row("%t%-~[%p] ", "PostgreSQL", "2025-08-13 01:46:12.212 PDT [12389] x"),
        Row("%t%-~%s:", "Go", "2026/11/20 10:20:30.123456 main.go:12: x"),
        Row("%t%-", "any", "2026-11-20 10:20:30 | x"),
        // Tools that show the lines of several files or programs
        Row("[pod/%O/%B] %>", "kubectl logs --prefix", "[pod/shop-7d9f/app] x"),
        Row("%B | %>", "docker compose", "web-1  | x"),
        Row("%F:%I:%<%>", "grep -n", "logs/shop.log:12:2026-11-20T10:20:30Z"),
        Row("%F:%<%>", "grep", "logs/shop.log:2026-11-20T10:20:30Z"),
        Row("%J %A%>", "several logs in one", "nova-api.log.1.2017-05-16_13:53:08 2026-11-20T10:20:30Z"),
        Row("%O %B %<%>", "stern", "shop-7d9f9c5b8d-x2x4k app 2026-11-20T10:20:30Z"),
        // More in the brackets of the time
        Row("[%T %l]%.", "Serilog", "[10:20:30 WRN] x"),
        Row("[%e %T %a] ", "Tornado", "[I 2026-11-20 10:20:30.123 ServerApp] x"),
        Row("[%e %T %j] ", "Tornado", "[W 261120 10:20:30 web:2162] x"),
        Row("(%T): ", "SSSD", "(2026-11-20 10:20:30): x"),
        Row("[%T %L %a]", "env_logger", "[2026-11-20T10:20:30Z WARN  shop::pay] x"),
        Row("[%T: %L/%h]", "Celery", "[2026-11-20 10:20:30,123: INFO/ForkPoolWorker-1] x"),
        Row("[%T", "any", "[2026-11-20 10:20:30 x"),
        Row("%w [%T #%p] %L -- %N", "Ruby", "F, [2026-11-20T10:20:30.123456 #4711] FATAL -- shop: x"),
        Row("%w [%T #%p] %L -- : ", "Ruby", "E, [2026-11-20T10:20:30.123456 #4711] ERROR -- : x"),
        // No time, or the time behind the level
        Row("%p:%w %T %i ", "Redis", "4711:M 20 Nov 2026 10:20:30.123 * x"),
        Row("%p:%T ", "Zabbix", "1234:20261120:102030.123 x"),
        Row("[%p] %T %i ", "Redis 2", "[4711] 20 Nov 10:20:30.123 * x"),
        Row("http %T ", "AWS load balancer", "http 2026-11-20T10:20:30.123456Z x"),
        Row("https %T ", "AWS load balancer", "https 2026-11-20T10:20:30.123456Z x"),
        Row("h2 %T ", "AWS load balancer", "h2 2026-11-20T10:20:30.123456Z x"),
        Row("ws %T ", "AWS load balancer", "ws 2026-11-20T10:20:30.123456Z x"),
        Row("wss %T ", "AWS load balancer", "wss 2026-11-20T10:20:30.123456Z x"),
        Row("grpcs %T ", "AWS load balancer", "grpcs 2026-11-20T10:20:30.123456Z x"),
        Row("tls %w %T ", "AWS network load balancer", "tls 2.0 2026-11-20T10:20:30 x"),
        Row("%p %n ", "strace", "10000 1697048351.000001 x"),
        Row("#+%n", "history of a shell", "#+1162490366"),
        Row("%L[%T] ", "logrus, full time", "ERRO[2026-11-20T10:20:30+01:00] x"),
        Row("%L[%R] ", "logrus", "ERRO[0012] x"),
        Row("%L:%C:", "Python", "ERROR:root.x:x"),
        Row("%L%.%=", "any", "ERROR x"),
        Row("PHP %H:", "PHP", "PHP Fatal error:  x"),
        Row("(%V) %T - ", "qBittorrent", "(W) 2026-11-20T10:20:30 - x"),
        Row("<%V>%T ", "Mumble", "<W>2026-11-20 10:20:30.123 x"),
        Row("[~%1] (%Q) ", "X.org", "[    12.345] (EE) x"),
        Row("%l: %c[%d]", ".NET", "fail: Shop.Pay[0] x"),
        Row("%P%c[%d] ", ".NET, systemd", "<4>Shop.Pay[0] x"),
        Row("%l:%.%=", "any", "error: x"),
        Row("=%L ", "Erlang", "=ERROR x"),
        Row(
            "[%v]^%T^%U^", "AWS Lambda, Python",
            "[INFO]\t2026-11-20T10:20:30.123Z\t8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tx"),
        Row("[%v] (%p) : ", "HAProxy", "[NOTICE]   (4711) : x"),
        Row("[%v] [client %K]", "Apache", "[error] [client 10.0.0.1] x"),
        Row("[%v] %N", "CoreDNS", "[ERROR] plugin/errors: x"),
        Row("##[%v]", "Azure Pipelines", "##[error]x"),
        Row("[%v]%=", "any", "[error] x"),
        Row("(%v)%=", "any", "(verbose) x"),
        Row("<%v> %=", "any", "<error> x"),
        Row("%g[%p]: %l:%.", "daemons", "sshd[24680]: error: x"),
        Row("%C::%L::%t::", "VDSM", "MainThread::INFO::2011-12-05 07:04:56,101::x"),
        Row("%s: %l:%.", "compilers", "foo.c:12:5: error: x"),
        Row("%D.%L:%.%=", "Monolog, no time", "app.ERROR: x"),
        Row("%a: %l:%.", "Dovecot", "imap-login: Error: x"),
        Row("[%b] %t %L:%.", "Syncthing", "[start] 2026/11/20 10:20:30 INFO: x"),
        Row("%d:%dAM %L%.", "zerolog", "10:20AM INF x"),
        Row("%d:%dPM %L%.", "zerolog", "10:20PM INF x"),
        Row(
            "%d.%d.%d.%d %w %w %T ", "W3C of F5", "64.103.37.2  client_7  DMS.user  2001-10-31  00:00:18  x"),
        Row("[~%1]", "kernel", "[   12.345678] x"),
        Row("%*%T%*%Y~:", "Cisco", "004711: *Nov 20 10:20:30.123: %LINK-3-UPDOWN: x"),
        Row("%g[%p]: %Y~:", "Cisco IOS XR", "config[65703]: %MGBL-CONFIG-6-DB_COMMIT : x"),
        Row("%*%Y~:", "Cisco", "%LINK-3-UPDOWN: x"),
        Row("%*%T%*%L%+%=", "any", "[api] 2026-11-20 10:20:30 ERROR x"),
        Row("%*%T%*[%v]%=", "any", "[api] 2026-11-20 10:20:30 [error] x"),
        Row("%*%T~%6", "any", "abc-1 2026-11-20 10:20:30 x"),
        Row("%*%L%+%=", "any", "[shop] [cart] kernel: EMERGENCY x"),
        Row("%*[%v]%=", "any", "[shop] [cart] [Error] x"),
    ]

    /// A step of a walk through the rows: what comes next, and what else may come in its place.
    struct Node: Sendable {
        let part: Part
        /// The character, where the part is one.
        let byte: UInt8
        /// What the part may begin with.
        let starts: ByteSet
        /// The node after it, and the one that is tried where it does not match; 0 for none.
        var child: Int16 = 0
        var sibling: Int16 = 0
        /// The row that ends here; -1 for none.
        var row: Int16 = -1
        /// What all rows through this node have.
        var needs: Needs = [.level, .time]
    }

    /// The rows as a tree, whose root is the first node.
    static let tree: [Node] = {
        var nodes = [Node(part: .text, byte: 0, starts: .all)]
        for (index, row) in rows.enumerated() {
            var place = 0
            let steps = steps(of: row.form)
            let needs = steps.reduce(into: Needs.nothing) { $0.formUnion($1.0.needs) }
            for (part, byte) in steps {
                place = child(of: place, part, byte, &nodes)
                // Whether a time is there is soon seen.
                nodes[place].needs.formIntersection(part.needs == .time ? needs.subtracting(.time) : needs)
            }
            precondition(nodes[place].row < 0, "\(row.form) is there twice")
            nodes[place].row = Int16(index)
        }
        return nodes
    }()

    private static func child(of parent: Int, _ part: Part, _ byte: UInt8, _ nodes: inout [Node]) -> Int {
        var last = 0
        var next = Int(nodes[parent].child)
        while next != 0 {
            if nodes[next].part == part, nodes[next].byte == byte { return next }
            last = next
            next = Int(nodes[next].sibling)
        }
        nodes.append(Node(part: part, byte: byte, starts: part.starts))
        let new = nodes.count - 1
        if last == 0 { nodes[parent].child = Int16(new) } else { nodes[last].sibling = Int16(new) }
        return new
    }

    private static func steps(of form: StaticString) -> [(Part, UInt8)] {
        var steps: [(Part, UInt8)] = []
        var isPart = false
        for character in form.description {
            if character == "%", !isPart {
                isPart = true
            } else if isPart || character == " " || character == "~" {
                guard let part = Part(rawValue: character) else {
                    fatalError("\(form): no part \(character)")
                }
                steps.append((part, 0))
                isPart = false
            } else {
                steps.append((.text, character == "^" ? 0x09 : character.asciiValue ?? 0))
            }
        }
        return steps
    }
}

/// Some ASCII characters.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// A blank and a tab, where words end, and further characters.
    static let blanks = ByteSet(" \t")
    static let endsOfNames = ByteSet(" \t[](){}<>|\",;")
    static let endsOfNumbers = ByteSet(" \t[](){}|,;\"")
    static let endsOfTags = ByteSet(" \t[:(")
    static let endsOfValues = ByteSet(" \t]):}|")
    static let endsOfPlaces = ByteSet(" \t]})|")
    /// What may be in the name of a file, of which a dot or a slash is a part, or of a container.
    static let ofFiles = ByteSet("./_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let dots = ByteSet("./")
    static let joints = ByteSet("-_")
    static let digits = ByteSet("0123456789")
    static let percent = ByteSet("%")
    static let brackets = ByteSet("[")
    static let startsOfLines = ByteSet("{[<0123456789")
    static let ofHosts = ByteSet(":@/._-$0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

    static let capitals = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let letters = ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let lettersAndDigits = ByteSet("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    /// What may be in the key of a pair: not a bracket, a quotation mark or a separator.
    static let ofKeys = ByteSet(
        "!#$%&'*+-./:?@\\^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    static let numbers = ByteSet("-0123456789")
    /// What the names of streams begin with.
    static let streams = ByteSet("s")
    static let all = ByteSet(low: .max, high: .max)

    private init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

    private init(_ characters: StaticString) {
        for byte in UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    /// As ``has(_:)``, but it may also be true for bytes that are not ASCII.
    @inline(__always)
    func mayHave(_ byte: UInt8) -> Bool { (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 != 0 }

    @inline(__always)
    func has(_ byte: UInt8) -> Bool {
        byte < 128 && mayHave(byte)
    }
}
