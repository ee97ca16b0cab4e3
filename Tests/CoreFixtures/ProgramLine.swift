package import Heartwood

/// A line as a program writes it, from the program's documentation, and what it says.
package struct ProgramLine: CustomStringConvertible, Sendable {
    package var program: String
    package var line: String
    package var time: String?
    package var level: LogLevel?
    package var category: String?
    package var message: String
    package var fields: [String: String]

    package var description: String { program }

    package init(
        _ program: String, _ line: String, _ time: String?, _ level: LogLevel?, _ category: String?,
        _ message: String, _ fields: [String: String] = [:]
    ) {
        self.program = program
        self.line = line
        self.time = time
        self.level = level
        self.category = category
        self.message = message
        self.fields = fields
    }
}

extension ProgramLine {
    /// Dates without a year are read on 2026-11-21T00:00:00Z.
    package static let all: [ProgramLine] = [
        // .NET
        ProgramLine(
            "Serilog file",
            "2026-11-20 10:20:30.123 +01:00 [ERR] cannot charge order 17",
            "2026-11-20T09:20:30.123Z", .error, nil, "cannot charge order 17"),
        ProgramLine(
            "Serilog file, fatal",
            "2026-11-20 10:20:30.123 +01:00 [FTL] Host terminated unexpectedly",
            "2026-11-20T09:20:30.123Z", .fatal, nil, "Host terminated unexpectedly"),
        ProgramLine(
            "Serilog file, verbose",
            "2026-11-20 10:20:30.123 +01:00 [VRB] polling",
            "2026-11-20T09:20:30.123Z", .verbose, nil, "polling"),
        // time of day
        ProgramLine(
            "Serilog console",
            "[10:20:30 WRN] slow answer",
            nil, .warning, nil, "slow answer"),
        // doubtful: the template, not the text it makes
        ProgramLine(
            "Serilog CLEF",
            #"{"@t":"2026-11-20T10:20:30.1234567Z","@mt":"cannot charge {Order}","@l":"Error","#
                + #""Order":17}"#,
            "2026-11-20T10:20:30.1234567Z", .error, nil, "cannot charge {Order}", ["Order": "17"]),
        ProgramLine(
            "Serilog CLEF, rendered, without a level",
            #"{"@t":"2026-11-20T10:20:30.1230000Z","@m":"charged 17","@i":"a1b2c3d4","Order":17}"#,
            "2026-11-20T10:20:30.123Z", .info, nil, "charged 17", ["Order": "17", "@i": "a1b2c3d4"]),
        // doubtful: SourceContext as the category
        ProgramLine(
            "Serilog CLEF, logger",
            #"{"@t":"2026-11-20T10:20:30.5Z","@m":"slow","@l":"Warning","SourceContext":"Shop.Pay"}"#,
            "2026-11-20T10:20:30.5Z", .warning, "Shop.Pay", "slow"),
        ProgramLine(
            "NLog",
            "2026-11-20 10:20:30.1234|ERROR|Shop.Pay|cannot charge order 17",
            "2026-11-20T10:20:30.1234Z", .error, "Shop.Pay", "cannot charge order 17"),
        ProgramLine(
            "NLog, trace",
            "2026-11-20 10:20:30.1000|TRACE|Shop.Pay|a|b",
            "2026-11-20T10:20:30.1Z", .verbose, "Shop.Pay", "a|b"),
        ProgramLine(
            ".NET console, single line",
            "fail: Shop.Pay[0] cannot charge order 17",
            nil, .error, "Shop.Pay", "cannot charge order 17"),
        // doubtful: the text is in the next line
        ProgramLine(
            ".NET console, header of two lines",
            "info: Microsoft.Hosting.Lifetime[14]",
            nil, .info, "Microsoft.Hosting.Lifetime", ""),
        ProgramLine(
            ".NET console, systemd",
            "<4>Shop.Pay[0] slow answer",
            nil, .warning, "Shop.Pay", "slow answer"),
        ProgramLine(
            ".NET console, JSON",
            #"{"Timestamp":"2026-11-20T10:20:30.123Z","EventId":0,"LogLevel":"Error","#
                + #""Category":"Shop.Pay","Message":"cannot charge 17","State":{"Message":"cannot charge "#
                + #"17","Order":17,"{OriginalFormat}":"cannot charge {Order}"}}"#,
            "2026-11-20T10:20:30.123Z", .error, "Shop.Pay", "cannot charge 17",
            ["State.Order": "17", "EventId": "0"]),

        // Java
        // time of day
        ProgramLine(
            "log4j 2 default",
            "10:20:30.123 [main] ERROR com.acme.shop.Pay - cannot charge order 17",
            nil, .error, "com.acme.shop.Pay", "cannot charge order 17", ["thread": "main"]),
        ProgramLine(
            "log4j file",
            "2026-11-20 10:20:30,123 WARN  [pool-1-thread-2] com.acme.shop.Pay - slow answer",
            "2026-11-20T10:20:30.123Z", .warning, "com.acme.shop.Pay", "slow answer",
            ["thread": "pool-1-thread-2"]),
        ProgramLine(
            "log4j file with place",
            "2026-11-20 10:20:30,123 DEBUG [main] shop.Pay (Pay.java:42) - trying order 17",
            "2026-11-20T10:20:30.123Z", .debug, "shop.Pay", "trying order 17",
            ["thread": "main", "source": "Pay.java:42"]),
        // time of day
        ProgramLine(
            "logback default",
            "10:20:30.123 [main] DEBUG com.acme.shop.Pay -- trying order 17",
            nil, .debug, "com.acme.shop.Pay", "trying order 17", ["thread": "main"]),
        ProgramLine(
            "logback file",
            "2026-11-20 10:20:30.123 [http-nio-8080-exec-1] TRACE com.acme.shop.Pay - enter",
            "2026-11-20T10:20:30.123Z", .verbose, "com.acme.shop.Pay", "enter",
            ["thread": "http-nio-8080-exec-1"]),
        ProgramLine(
            "logback, Logstash JSON",
            #"{"@timestamp":"2026-11-20T10:20:30.123+01:00","@version":"1","message":"cannot "#
                + #"charge","logger_name":"com.acme.shop.Pay","thread_name":"main","level":"ERROR","#
                + #""level_value":40000}"#,
            "2026-11-20T09:20:30.123Z", .error, "com.acme.shop.Pay", "cannot charge",
            ["thread_name": "main", "level_value": "40000"]),
        ProgramLine(
            "Spring Boot 2",
            "2026-11-20 10:20:30.123  INFO 4711 --- [           main] c.acme.shop.Application      "
                + "            : Started Application in 2.1 seconds",
            "2026-11-20T10:20:30.123Z", .info, "c.acme.shop.Application",
            "Started Application in 2.1 seconds", ["pid": "4711", "thread": "main"]),
        ProgramLine(
            "Spring Boot 3",
            "2026-11-20T10:20:30.123+01:00 ERROR 4711 --- [nio-8080-exec-1] c.acme.shop.Pay  : "
                + "cannot charge: 17",
            "2026-11-20T09:20:30.123Z", .error, "c.acme.shop.Pay", "cannot charge: 17",
            ["pid": "4711", "thread": "nio-8080-exec-1"]),
        ProgramLine(
            "Spring Boot 3.2, application name",
            "2026-11-20T10:20:30.123Z  WARN 4711 --- [shop] [           main] c.acme.shop.Pay : "
                + "slow answer",
            "2026-11-20T10:20:30.123Z", .warning, "c.acme.shop.Pay", "slow answer",
            ["pid": "4711", "thread": "main"]),
        ProgramLine(
            "Kafka",
            "[2026-11-20 10:20:30,123] INFO [KafkaServer id=0] started (kafka.server.KafkaServer)",
            "2026-11-20T10:20:30.123Z", .info, "kafka.server.KafkaServer", "[KafkaServer id=0] started"),
        // doubtful: the node stays in the text
        ProgramLine(
            "Elasticsearch",
            "[2026-11-20T10:20:30,123][WARN ][o.e.c.r.a.DiskThresholdMonitor] [node-1] high disk "
                + "watermark",
            "2026-11-20T10:20:30.123Z", .warning, "o.e.c.r.a.DiskThresholdMonitor",
            "[node-1] high disk watermark"),
        ProgramLine(
            "Elasticsearch, JSON",
            #"{"@timestamp":"2026-11-20T10:20:30.123Z","log.level":"ERROR","message":"fatal "#
                + #"exception while booting","ecs.version":"1.2.0","process.thread.name":"main","#
                + #""log.logger":"o.e.b.Elasticsearch","elasticsearch.node.name":"node-1"}"#,
            "2026-11-20T10:20:30.123Z", .error, "o.e.b.Elasticsearch", "fatal exception while booting",
            ["elasticsearch.node.name": "node-1"]),
        ProgramLine(
            "Tomcat",
            "20-Nov-2026 10:20:30.123 INFO [main] org.apache.catalina.startup.Catalina.start "
                + "Server startup in [735] milliseconds",
            "2026-11-20T10:20:30.123Z", .info, "org.apache.catalina.startup.Catalina.start",
            "Server startup in [735] milliseconds", ["thread": "main"]),
        ProgramLine(
            "Tomcat, severe",
            "20-Nov-2026 10:20:30.123 SEVERE [http-nio-8080-exec-1] com.acme.shop.Pay.charge refused",
            "2026-11-20T10:20:30.123Z", .error, "com.acme.shop.Pay.charge", "refused",
            ["thread": "http-nio-8080-exec-1"]),
        // doubtful: class and method as the text
        ProgramLine(
            "Jenkins, first of two lines",
            "Nov 20, 2026 1:20:30 PM hudson.WebAppMain$3 run",
            "2026-11-20T13:20:30Z", nil, nil, "hudson.WebAppMain$3 run"),
        ProgramLine(
            "Jenkins, second of two lines",
            "INFO: Jenkins is fully up and running",
            nil, .info, nil, "Jenkins is fully up and running"),
        // doubtful: the method within the category
        ProgramLine(
            "Jenkins, one line",
            "2026-11-20 10:20:30.123+0000 [id=42]\tINFO\thudson.lifecycle.Lifecycle#onReady: "
                + "Jenkins is fully up",
            "2026-11-20T10:20:30.123Z", .info, "hudson.lifecycle.Lifecycle#onReady", "Jenkins is fully up",
            ["thread": "42"]),
        // time of day
        ProgramLine(
            "Minecraft server",
            #"[10:20:30] [Server thread/INFO]: Done (2.958s)! For help, type "help""#,
            nil, .info, nil, #"Done (2.958s)! For help, type "help""#, ["thread": "Server thread"]),
        // doubtful: the empty marker behind the slash
        ProgramLine(
            "Minecraft server, Forge",
            "[20Nov2026 10:20:30.123] [Server thread/WARN] "
                + "[net.minecraft.server.MinecraftServer/]: Can't keep up!",
            "2026-11-20T10:20:30.123Z", .warning, "net.minecraft.server.MinecraftServer", "Can't keep up!",
            ["thread": "Server thread"]),
        // time of day
        ProgramLine(
            "Minecraft server, Paper console",
            "[10:20:30 ERROR]: Could not load plugins/shop.jar",
            nil, .error, nil, "Could not load plugins/shop.jar"),

        ProgramLine(
            "WildFly and Quarkus",
            "2026-11-20 10:20:30,123 ERROR [org.acme.Pay] (main) cannot charge",
            "2026-11-20T10:20:30.123Z", .error, "org.acme.Pay", "cannot charge", ["thread": "main"]),

        // Python
        ProgramLine(
            "Python basicConfig",
            "ERROR:root:cannot charge order 17",
            nil, .error, "root", "cannot charge order 17"),
        ProgramLine(
            "Python basicConfig, dotted",
            "WARNING:shop.pay:slow: 3 s",
            nil, .warning, "shop.pay", "slow: 3 s"),
        ProgramLine(
            "Python asctime",
            "2026-11-20 10:20:30,123 - app.web - CRITICAL - disk full",
            "2026-11-20T10:20:30.123Z", .fatal, "app.web", "disk full"),
        ProgramLine(
            "Python asctime, info",
            "2026-11-20 10:20:30,123 - shop.pay - INFO - charged - order 17",
            "2026-11-20T10:20:30.123Z", .info, "shop.pay", "charged - order 17"),
        ProgramLine(
            "uvicorn",
            "INFO:     Started server process [4711]",
            nil, .info, nil, "Started server process [4711]"),
        ProgramLine(
            "uvicorn access",
            #"INFO:     127.0.0.1:51000 - "GET /x HTTP/1.1" 200 OK"#,
            nil, .info, nil, "GET /x HTTP/1.1", ["method": "GET", "path": "/x", "status": "200"]),
        ProgramLine(
            "gunicorn",
            "[2026-11-20 10:20:30 +0100] [4711] [INFO] Starting gunicorn 23.0.0",
            "2026-11-20T09:20:30Z", .info, nil, "Starting gunicorn 23.0.0", ["pid": "4711"]),
        ProgramLine(
            "Celery, task",
            "[2026-11-20 10:20:30,123: INFO/ForkPoolWorker-1] Task shop.pay[8f5a] succeeded in "
                + "0.01s: None",
            "2026-11-20T10:20:30.123Z", .info, nil, "Task shop.pay[8f5a] succeeded in 0.01s: None"),
        ProgramLine(
            "Django runserver",
            #"[20/Nov/2026 10:20:30] "GET /x HTTP/1.1" 404 179"#,
            "2026-11-20T10:20:30Z", .warning, nil, "GET /x HTTP/1.1",
            ["method": "GET", "path": "/x", "status": "404", "bytes": "179"]),
        ProgramLine(
            "Django verbose formatter",
            "ERROR 2026-11-20 10:20:30,123 views 4711 140239 cannot charge order 17",
            "2026-11-20T10:20:30.123Z", .error, nil, "views 4711 140239 cannot charge order 17"),
        ProgramLine(
            "Airflow",
            "[2026-11-20T10:20:30.123+0000] {taskinstance.py:1157} INFO - Dependencies all met",
            "2026-11-20T10:20:30.123Z", .info, nil, "Dependencies all met",
            ["source": "taskinstance.py:1157"]),
        ProgramLine(
            "Airflow 1",
            "[2026-11-20 10:20:30,123] {taskinstance.py:1150} ERROR - Task failed",
            "2026-11-20T10:20:30.123Z", .error, nil, "Task failed", ["source": "taskinstance.py:1150"]),
        // doubtful: the request stays in the text
        ProgramLine(
            "OpenStack oslo",
            "2026-11-20 10:20:30.123 4711 ERROR nova.api.openstack [req-8f5a alice shop - - -] "
                + "cannot boot",
            "2026-11-20T10:20:30.123Z", .error, "nova.api.openstack",
            "[req-8f5a alice shop - - -] cannot boot", ["pid": "4711"]),
        ProgramLine(
            "OpenStack oslo, info",
            "2026-11-20 10:20:30.123 4711 INFO nova.service Starting compute node (version 30.0.0)",
            "2026-11-20T10:20:30.123Z", .info, "nova.service", "Starting compute node (version 30.0.0)",
            ["pid": "4711"]),

        ProgramLine(
            "loguru",
            "2026-11-20 10:20:30.123 | ERROR    | shop.pay:charge:12 - cannot charge",
            "2026-11-20T10:20:30.123Z", .error, nil, "cannot charge", ["source": "shop.pay:charge:12"]),

        // Ruby, PHP, Elixir, Erlang
        ProgramLine(
            "Rails",
            "E, [2026-11-20T10:20:30.123456 #4711] ERROR -- : cannot charge order 17",
            "2026-11-20T10:20:30.123456Z", .error, nil, "cannot charge order 17", ["pid": "4711"]),
        // doubtful: the tag stays in the text
        ProgramLine(
            "Rails, tag",
            "I, [2026-11-20T10:20:30.123456 #4711]  INFO -- : [8f5a] Completed 200 OK in 12ms",
            "2026-11-20T10:20:30.123456Z", .info, nil, "[8f5a] Completed 200 OK in 12ms", ["pid": "4711"]),
        ProgramLine(
            "Ruby Logger, program",
            "F, [2026-11-20T10:20:30.123456 #4711] FATAL -- shop: out of memory",
            "2026-11-20T10:20:30.123456Z", .fatal, "shop", "out of memory", ["pid": "4711"]),
        ProgramLine(
            "Sidekiq",
            "2026-11-20T10:20:30.123Z pid=4711 tid=j0p class=PayJob jid=8f5a INFO: start",
            "2026-11-20T10:20:30.123Z", .info, nil, "start",
            ["pid": "4711", "class": "PayJob", "jid": "8f5a"]),
        ProgramLine(
            "Sidekiq, warning",
            "2026-11-20T10:20:30.123Z pid=4711 tid=j0p WARN: RuntimeError: cannot charge",
            "2026-11-20T10:20:30.123Z", .warning, nil, "RuntimeError: cannot charge", ["pid": "4711"]),
        ProgramLine(
            "GitLab Sidekiq, JSON",
            #"{"severity":"INFO","time":"2026-11-20T10:20:30.123Z","class":"PayJob","args":[88,1],"#
                + #""jid":"8f5a","pid":4711,"message":"PayJob JID-8f5a: done: 0.543 sec","#
                + #""job_status":"done","created_at":"2026-11-20T10:20:29.472Z"}"#,
            "2026-11-20T10:20:30.123Z", .info, nil, "PayJob JID-8f5a: done: 0.543 sec",
            ["class": "PayJob", "jid": "8f5a", "pid": "4711", "job_status": "done"]),
        ProgramLine(
            "Laravel",
            "[2026-11-20 10:20:30] production.ERROR: cannot charge order 17",
            "2026-11-20T10:20:30Z", .error, "production", "cannot charge order 17"),
        // doubtful: the context is not text
        ProgramLine(
            "Laravel, context",
            #"[2026-11-20 10:20:30] local.NOTICE: charged {"order":17}"#,
            "2026-11-20T10:20:30Z", .notice, "local", "charged", ["order": "17"]),
        // doubtful: the empty context is not text
        ProgramLine(
            "Monolog",
            "[2026-11-20T10:20:30.123456+01:00] app.CRITICAL: disk full [] []",
            "2026-11-20T09:20:30.123456Z", .fatal, "app", "disk full"),
        // doubtful: the context is not text
        ProgramLine(
            "Monolog, context",
            #"[2026-11-20T10:20:30.123456+01:00] app.ERROR: cannot charge {"order":17} []"#,
            "2026-11-20T09:20:30.123456Z", .error, "app", "cannot charge", ["order": "17"]),
        ProgramLine(
            "Monolog, JSON",
            #"{"message":"cannot charge","context":{"order":17},"level":550,"level_name":"ALERT","#
                + #""channel":"app","datetime":"2026-11-20T10:20:30.123456+00:00","extra":{}}"#,
            "2026-11-20T10:20:30.123456Z", .fatal, "app", "cannot charge", ["context.order": "17"]),
        // time of day
        ProgramLine(
            "Elixir Logger",
            "10:20:30.123 [error] cannot charge order 17",
            nil, .error, nil, "cannot charge order 17"),
        // time of day
        ProgramLine(
            "Elixir Logger, metadata",
            "10:20:30.123 request_id=F8aB [info] Sent 200 in 12ms",
            nil, .info, nil, "Sent 200 in 12ms", ["request_id": "F8aB"]),
        // doubtful: the text is in the next lines
        ProgramLine(
            "Erlang, header of the report",
            "=ERROR REPORT==== 20-Nov-2026::10:20:30.123456 ===",
            "2026-11-20T10:20:30.123456Z", .error, nil,
            "REPORT==== 20-Nov-2026::10:20:30.123456 ==="),
        // doubtful: the process is a thread
        ProgramLine(
            "RabbitMQ",
            "2026-11-20 10:20:30.123456+01:00 [info] <0.474.0> Server startup complete; 4 plugins "
                + "started.",
            "2026-11-20T09:20:30.123456Z", .info, nil, "Server startup complete; 4 plugins started."),

        // Go
        ProgramLine(
            "zap, JSON",
            #"{"level":"error","ts":1795170030.123,"logger":"shop","caller":"shop/main.go:12","#
                + #""msg":"cannot charge","order":17}"#,
            "2026-11-20T10:20:30.123Z", .error, "shop", "cannot charge",
            ["order": "17", "caller": "shop/main.go:12"]),
        ProgramLine(
            "zap, JSON, dpanic",
            #"{"level":"dpanic","ts":1795170030.5,"caller":"shop/main.go:12","msg":"no order"}"#,
            "2026-11-20T10:20:30.5Z", .fatal, nil, "no order"),
        ProgramLine(
            "zap, console",
            "2026-11-20T10:20:30.123+0100\tWARN\tshop\tshop/main.go:12\tslow answer\t"
                + #"{"order": 17}"#,
            "2026-11-20T09:20:30.123Z", .warning, "shop", "slow answer",
            ["source": "shop/main.go:12", "order": "17"]),
        ProgramLine(
            "zap, console, no logger",
            "2026-11-20T10:20:30.123Z\tINFO\tshop/main.go:12\tserver started",
            "2026-11-20T10:20:30.123Z", .info, nil, "server started", ["source": "shop/main.go:12"]),
        ProgramLine(
            "zerolog, JSON",
            #"{"level":"error","order":17,"time":"2026-11-20T10:20:30Z","message":"cannot charge"}"#,
            "2026-11-20T10:20:30Z", .error, nil, "cannot charge", ["order": "17"]),
        ProgramLine(
            "zerolog, JSON, seconds",
            #"{"level":"panic","time":1795170030,"message":"no order"}"#,
            "2026-11-20T10:20:30Z", .fatal, nil, "no order"),
        // time of day
        ProgramLine(
            "zerolog, console",
            "10:20AM INF server started",
            nil, .info, nil, "server started"),
        // doubtful: the fields stay in the text
        ProgramLine(
            "zerolog, console, fields",
            #"2026-11-20T10:20:30Z ERR cannot charge error="card refused" order=17"#,
            "2026-11-20T10:20:30Z", .error, nil, #"cannot charge error="card refused" order=17"#,
            ["error": "card refused", "order": "17"]),
        ProgramLine(
            "logrus",
            #"time="2026-11-20T10:20:30+01:00" level=warning msg="slow answer" order=17"#,
            "2026-11-20T09:20:30Z", .warning, nil, "slow answer", ["order": "17"]),
        ProgramLine(
            "logrus, terminal",
            "ERRO[0012] cannot charge order 17",
            nil, .error, nil, "cannot charge order 17"),
        ProgramLine(
            "logrus, JSON",
            #"{"level":"fatal","msg":"no database","order":17,"time":"2026-11-20T10:20:30+01:00"}"#,
            "2026-11-20T09:20:30Z", .fatal, nil, "no database", ["order": "17"]),
        ProgramLine(
            "slog, text",
            #"time=2026-11-20T10:20:30.123+01:00 level=ERROR msg="cannot charge" order=17 "#
                + "user.name=bo",
            "2026-11-20T09:20:30.123Z", .error, nil, "cannot charge", ["order": "17", "user.name": "bo"]),
        ProgramLine(
            "slog, JSON",
            #"{"time":"2026-11-20T10:20:30.123456789Z","level":"WARN","#
                + #""source":{"function":"main.main","file":"/app/main.go","line":12},"msg":"slow answer","#
                + #""order":17}"#,
            "2026-11-20T10:20:30.123456789Z", .warning, nil, "slow answer",
            ["source.file": "/app/main.go", "source.line": "12", "order": "17"]),
        ProgramLine(
            "slog, default",
            "2026/11/20 10:20:30 INFO server started",
            "2026-11-20T10:20:30Z", .info, nil, "server started"),
        // doubtful: the fields stay in the text
        ProgramLine(
            "slog, default, fields",
            "2026/11/20 10:20:30 ERROR cannot charge order=17",
            "2026-11-20T10:20:30Z", .error, nil, "cannot charge order=17", ["order": "17"]),
        ProgramLine(
            "Go log",
            "2026/11/20 10:20:30 cannot charge order 17",
            "2026-11-20T10:20:30Z", nil, nil, "cannot charge order 17"),
        ProgramLine(
            "Go log, short file",
            "2026/11/20 10:20:30.123456 main.go:12: cannot charge order 17",
            "2026-11-20T10:20:30.123456Z", nil, nil, "cannot charge order 17", ["source": "main.go:12"]),
        ProgramLine(
            "glog",
            "F1120 10:20:30.123456   77 main.cc:12] out of memory",
            "2026-11-20T10:20:30.123456Z", .fatal, nil, "out of memory",
            ["thread": "77", "source": "main.cc:12"]),
        ProgramLine(
            "glog, year",
            "W20261120 10:20:30.123456  4711 main.cc:12] slow answer",
            "2026-11-20T10:20:30.123456Z", .warning, nil, "slow answer",
            ["thread": "4711", "source": "main.cc:12"]),
        ProgramLine(
            "klog",
            "E1120 10:20:30.123456       1 reflector.go:147] Failed to watch *v1.Pod",
            "2026-11-20T10:20:30.123456Z", .error, nil, "Failed to watch *v1.Pod",
            ["thread": "1", "source": "reflector.go:147"]),
        // doubtful: without the quotes and the fields
        ProgramLine(
            "klog, structured",
            #"I1120 10:20:30.123456       1 controller.go:116] "Pod status updated" "#
                + #"pod="kube-system/dns""#,
            "2026-11-20T10:20:30.123456Z", .info, nil, "Pod status updated",
            ["pod": "kube-system/dns", "source": "controller.go:116"]),
        ProgramLine(
            "Consul",
            "2026-11-20T10:20:30.123Z [INFO]  agent.server: Raft leader elected",
            "2026-11-20T10:20:30.123Z", .info, "agent.server", "Raft leader elected"),
        // doubtful: the fields stay in the text
        ProgramLine(
            "Consul, fields",
            "2026-11-20T10:20:30.123+0100 [INFO]  agent: Started DNS server: "
                + "address=127.0.0.1:8600 network=udp",
            "2026-11-20T09:20:30.123Z", .info, "agent",
            "Started DNS server: address=127.0.0.1:8600 network=udp",
            ["address": "127.0.0.1:8600", "network": "udp"]),
        ProgramLine(
            "Vault",
            "2026-11-20T10:20:30.123Z [ERROR] core: failed to unseal",
            "2026-11-20T10:20:30.123Z", .error, "core", "failed to unseal"),
        ProgramLine(
            "Nomad",
            "    2026-11-20T10:20:30.123Z [WARN]  client.fingerprint_mgr.network: unable to parse "
                + "speed",
            "2026-11-20T10:20:30.123Z", .warning, "client.fingerprint_mgr.network", "unable to parse speed"),
        // doubtful: a query is no request of HTTP
        ProgramLine(
            "CoreDNS",
            #"[INFO] 127.0.0.1:50759 - 29008 "A IN shop.example. udp 41 false 4096" NOERROR qr,rd "#
                + "68 0.037s",
            nil, .info, nil,
            #"127.0.0.1:50759 - 29008 "A IN shop.example. udp 41 false 4096" NOERROR qr,rd 68 0.037s"#),
        // doubtful: the plugin as the category
        ProgramLine(
            "CoreDNS, error",
            "[ERROR] plugin/errors: 2 shop.example. A: read udp 10.0.0.1:53: i/o timeout",
            nil, .error, "plugin/errors", "2 shop.example. A: read udp 10.0.0.1:53: i/o timeout"),
        ProgramLine(
            "etcd",
            #"{"level":"warn","ts":"2026-11-20T10:20:30.123456Z","caller":"etcdserver/util.go:170","#
                + #""msg":"apply request took too long","took":"142ms"}"#,
            "2026-11-20T10:20:30.123456Z", .warning, nil, "apply request took too long",
            ["took": "142ms", "caller": "etcdserver/util.go:170"]),
        ProgramLine(
            "etcd 3.3",
            "2026-11-20 10:20:30.123456 C | etcdmain: cannot listen on :2379",
            "2026-11-20T10:20:30.123456Z", .fatal, "etcdmain", "cannot listen on :2379"),
        ProgramLine(
            "Grafana",
            #"logger=settings t=2026-11-20T10:20:30.123456789Z level=info msg="Starting Grafana" "#
                + "version=11.0.0",
            "2026-11-20T10:20:30.123456789Z", .info, "settings", "Starting Grafana", ["version": "11.0.0"]),
        ProgramLine(
            "Loki",
            #"level=error ts=2026-11-20T10:20:30.123456789Z caller=log.go:223 msg="error running "#
                + #"loki" err="no ring""#,
            "2026-11-20T10:20:30.123456789Z", .error, nil, "error running loki",
            ["err": "no ring", "caller": "log.go:223"]),
        ProgramLine(
            "Prometheus 2",
            #"ts=2026-11-20T10:20:30.123Z caller=main.go:539 level=info msg="Starting" "#
                + #"version="2.53""#,
            "2026-11-20T10:20:30.123Z", .info, nil, "Starting", ["caller": "main.go:539", "version": "2.53"]),
        ProgramLine(
            "Prometheus 3",
            #"time=2026-11-20T10:20:30.123Z level=WARN source=scrape.go:1350 msg="Append failed" "#
                + "job=shop",
            "2026-11-20T10:20:30.123Z", .warning, nil, "Append failed",
            ["source": "scrape.go:1350", "job": "shop"]),

        // JavaScript and Rust
        ProgramLine(
            "pino",
            #"{"level":50,"time":1795170030123,"pid":4711,"hostname":"web1","name":"shop","#
                + #""msg":"cannot charge"}"#,
            "2026-11-20T10:20:30.123Z", .error, "shop", "cannot charge", ["pid": "4711", "hostname": "web1"]),
        ProgramLine(
            "pino, trace",
            #"{"level":10,"time":1795170030123,"pid":4711,"hostname":"web1","req":{"id":7},"#
                + #""msg":"enter"}"#,
            "2026-11-20T10:20:30.123Z", .verbose, nil, "enter", ["req.id": "7"]),
        ProgramLine(
            "bunyan",
            #"{"name":"shop","hostname":"web1","pid":4711,"level":40,"msg":"slow answer","#
                + #""time":"2026-11-20T10:20:30.123Z","v":0}"#,
            "2026-11-20T10:20:30.123Z", .warning, "shop", "slow answer", ["hostname": "web1", "v": "0"]),
        ProgramLine(
            "winston, JSON",
            #"{"level":"error","message":"cannot charge","service":"shop"}"#,
            nil, .error, nil, "cannot charge", ["service": "shop"]),
        ProgramLine(
            "winston, JSON, timestamp",
            #"{"level":"warn","message":"slow","order":{"id":17},"#
                + #""timestamp":"2026-11-20T10:20:30.123Z"}"#,
            "2026-11-20T10:20:30.123Z", .warning, nil, "slow", ["order.id": "17"]),
        ProgramLine(
            "winston, simple",
            "error: cannot charge order 17",
            nil, .error, nil, "cannot charge order 17"),
        // doubtful: the label as the category
        ProgramLine(
            "winston, printf",
            "2026-11-20T10:20:30.123Z [shop] error: cannot charge order 17",
            "2026-11-20T10:20:30.123Z", .error, "shop", "cannot charge order 17"),
        ProgramLine(
            "env_logger",
            "[2026-11-20T10:20:30Z WARN  shop::pay] slow answer",
            "2026-11-20T10:20:30Z", .warning, "shop::pay", "slow answer"),
        ProgramLine(
            "tracing",
            "2026-11-20T10:20:30.123456Z ERROR shop::pay: cannot charge order 17",
            "2026-11-20T10:20:30.123456Z", .error, "shop::pay", "cannot charge order 17"),
        // doubtful: the fields stay in the text
        ProgramLine(
            "tracing, fields",
            "2026-11-20T10:20:30.123456Z  INFO shop::pay: charged order=17",
            "2026-11-20T10:20:30.123456Z", .info, "shop::pay", "charged order=17", ["order": "17"]),
        // doubtful: the span is not text
        ProgramLine(
            "tracing, span",
            "2026-11-20T10:20:30.123456Z DEBUG request{id=7}: shop::pay: trying",
            "2026-11-20T10:20:30.123456Z", .debug, "shop::pay", "trying"),
        ProgramLine(
            "tracing, JSON",
            #"{"timestamp":"2026-11-20T10:20:30.123456Z","level":"ERROR","#
                + #""fields":{"message":"cannot charge","order":17},"target":"shop::pay"}"#,
            "2026-11-20T10:20:30.123456Z", .error, "shop::pay", "cannot charge", ["fields.order": "17"]),

        // Swift and Apple, Android
        ProgramLine(
            "swift-log",
            "2026-11-20T10:20:30+0100 error shop : [Shop] cannot charge order 17",
            "2026-11-20T09:20:30Z", .error, "shop", "cannot charge order 17"),
        ProgramLine(
            "swift-log, metadata",
            "2026-11-20T10:20:30+0100 critical com.acme.shop : order=17 user=bo [Shop] cannot charge",
            "2026-11-20T09:20:30Z", .fatal, "com.acme.shop", "cannot charge", ["order": "17", "user": "bo"]),
        ProgramLine(
            "swift-log 1.0",
            "2026-11-20T10:20:30+0000 trace: enter",
            "2026-11-20T10:20:30Z", .verbose, nil, "enter"),
        ProgramLine(
            "CocoaLumberjack",
            "2026/11/20 10:20:30:123  cannot charge order 17",
            "2026-11-20T10:20:30.123Z", nil, nil, "cannot charge order 17"),
        // time of day
        ProgramLine(
            "SwiftyBeaver",
            "10:20:30.123 ❤️ ERROR Pay.charge():42 - cannot charge order 17",
            nil, .error, nil, "Pay.charge():42 - cannot charge order 17"),
        // time of day
        ProgramLine(
            "SwiftyBeaver, verbose",
            "10:20:30.123 💜 VERBOSE Pay.charge():40 - enter",
            nil, .verbose, nil, "Pay.charge():40 - enter"),
        ProgramLine(
            "log show",
            "2026-11-20 10:20:30.123456+0100 0x1e2cd    Error       0x0                  4711   14 "
                + "  logger: shop is down",
            "2026-11-20T09:20:30.123456Z", .error, "logger", "shop is down",
            ["thread": "0x1e2cd", "pid": "4711"]),
        // doubtful: which name is the category
        ProgramLine(
            "log show, subsystem",
            "2026-11-20 10:20:30.123456+0100 0x3058     Info        0x0                  4711   0  "
                + "  shop: (Pay) [com.acme.shop:pay] charged",
            "2026-11-20T09:20:30.123456Z", .info, "com.acme.shop:pay", "charged",
            ["thread": "0x3058", "pid": "4711"]),
        // doubtful: Default is notice
        ProgramLine(
            "log show, default",
            "2026-11-20 10:20:30.123456+0100 0x88f      Default     0x0                  0      0  "
                + "  kernel: wake reason: lid open",
            "2026-11-20T09:20:30.123456Z", .notice, "kernel", "wake reason: lid open",
            ["thread": "0x88f", "pid": "0"]),
        // doubtful: Fault is fatal
        ProgramLine(
            "log show, fault",
            "2026-11-20 10:20:30.123456+0100 0x1        Fault       0x0                  4711   0  "
                + "  shop: no store",
            "2026-11-20T09:20:30.123456Z", .fatal, "shop", "no store", ["pid": "4711"]),
        ProgramLine(
            "log show --style syslog",
            "2026-11-20 10:20:30.123456+0100  localhost shop[4711]: cannot charge order 17",
            "2026-11-20T09:20:30.123456Z", nil, "shop", "cannot charge order 17",
            ["host": "localhost", "pid": "4711"]),
        // doubtful: the second program stays in the text
        ProgramLine(
            "macOS system.log",
            "Nov 20 10:20:30 mac com.apple.xpc.launchd[1] (com.acme.shop[4711]): Service exited",
            "2026-11-20T10:20:30Z", nil, "com.apple.xpc.launchd", "(com.acme.shop[4711]): Service exited",
            ["host": "mac", "pid": "1"]),
        ProgramLine(
            "NSLog",
            "2026-11-20 10:20:30.123456+0100 shop[4711:81234] cannot charge order 17",
            "2026-11-20T09:20:30.123456Z", nil, "shop", "cannot charge order 17",
            ["pid": "4711", "thread": "81234"]),
        ProgramLine(
            "logcat threadtime",
            "11-20 10:20:30.123  4711  4712 E ShopPay : cannot charge order 17",
            "2026-11-20T10:20:30.123Z", .error, "ShopPay", "cannot charge order 17",
            ["pid": "4711", "thread": "4712"]),
        ProgramLine(
            "logcat threadtime, verbose",
            "11-20 10:20:30.123  1702  2395 V PowerManagerService: acquire lock=2337",
            "2026-11-20T10:20:30.123Z", .verbose, "PowerManagerService", "acquire lock=2337",
            ["pid": "1702", "thread": "2395"]),
        ProgramLine(
            "logcat brief",
            "W/ActivityManager(  585): Slow operation: 72ms",
            nil, .warning, "ActivityManager", "Slow operation: 72ms", ["pid": "585"]),
        ProgramLine(
            "logcat time",
            "11-20 10:20:30.123 F/libc    ( 4711): Fatal signal 11 (SIGSEGV)",
            "2026-11-20T10:20:30.123Z", .fatal, "libc", "Fatal signal 11 (SIGSEGV)", ["pid": "4711"]),

        // Databases
        ProgramLine(
            "PostgreSQL",
            "2026-11-20 10:20:30.123 UTC [4711] LOG:  database system is ready to accept connections",
            "2026-11-20T10:20:30.123Z", .info, nil, "database system is ready to accept connections",
            ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, Debian",
            #"2026-11-20 10:20:30.123 CET [4711] bo@shop ERROR:  relation "x" does not exist at "#
                + "character 15",
            "2026-11-20T09:20:30.123Z", .error, nil, #"relation "x" does not exist at character 15"#,
            ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, numeric zone",
            "2026-11-20 10:20:30.123 -03 [4711] FATAL:  the database system is starting up",
            "2026-11-20T13:20:30.123Z", .fatal, nil, "the database system is starting up", ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, EST",
            "2026-11-20 10:20:30.123 EST [4711] DEBUG2:  checkpointer updated",
            "2026-11-20T15:20:30.123Z", .debug, nil, "checkpointer updated", ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, Sydney",
            "2026-11-20 10:20:30.123 AEDT [4711] WARNING:  there is no transaction in progress",
            "2026-11-19T23:20:30.123Z", .warning, nil, "there is no transaction in progress",
            ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, zone of several meanings",
            "2026-11-20 10:20:30.123 IST [4711] WARNING:  there is no transaction in progress",
            nil, .warning, nil, "there is no transaction in progress", ["pid": "4711"]),
        ProgramLine(
            "PostgreSQL, statement",
            "2026-11-20 10:20:30.123 UTC [4711] STATEMENT:  SELECT * FROM x",
            "2026-11-20T10:20:30.123Z", nil, nil, "STATEMENT:  SELECT * FROM x", ["pid": "4711"]),
        // doubtful: the subsystem as the category, the number of the message is not text
        ProgramLine(
            "MySQL 8",
            "2026-11-20T10:20:30.123456Z 0 [Warning] [MY-010068] [Server] CA certificate is self "
                + "signed.",
            "2026-11-20T10:20:30.123456Z", .warning, "Server", "CA certificate is self signed.",
            ["thread": "0"]),
        // doubtful: System is info
        ProgramLine(
            "MySQL 8, system",
            "2026-11-20T10:20:30.123456Z 0 [System] [MY-010931] [Server] mysqld: ready for "
                + "connections.",
            "2026-11-20T10:20:30.123456Z", .info, "Server", "mysqld: ready for connections.",
            ["thread": "0"]),
        ProgramLine(
            "MySQL 5.7",
            "2026-11-20T10:20:30.123456Z 0 [Note] mysqld (mysqld 5.7.44) starting as process 1 ...",
            "2026-11-20T10:20:30.123456Z", .notice, nil, "mysqld (mysqld 5.7.44) starting as process 1 ...",
            ["thread": "0"]),
        ProgramLine(
            "MongoDB, JSON",
            #"{"t":{"$date":"2026-11-20T10:20:30.123+01:00"},"s":"E","c":"STORAGE","id":20557,"#
                + #""ctx":"initandlisten","msg":"DBException in initAndListen","#
                + #""attr":{"error":"NonExistentPath"}}"#,
            "2026-11-20T09:20:30.123Z", .error, "STORAGE", "DBException in initAndListen",
            ["id": "20557", "attr.error": "NonExistentPath"]),
        ProgramLine(
            "MongoDB, JSON, debug",
            #"{"t":{"$date":"2026-11-20T10:20:30.123+00:00"},"s":"D2","c":"NETWORK","id":22900,"#
                + #""ctx":"conn1","msg":"poll"}"#,
            "2026-11-20T10:20:30.123Z", .debug, "NETWORK", "poll", ["ctx": "conn1"]),
        ProgramLine(
            "MongoDB 4.2",
            "2026-11-20T10:20:30.123+0100 I  NETWORK  [listener] connection accepted from "
                + "10.0.0.1:51000 #1",
            "2026-11-20T09:20:30.123Z", .info, "NETWORK", "connection accepted from 10.0.0.1:51000 #1",
            ["thread": "listener"]),
        ProgramLine(
            "Redis",
            "4711:M 20 Nov 2026 10:20:30.123 * Ready to accept connections tcp",
            "2026-11-20T10:20:30.123Z", .notice, nil, "Ready to accept connections tcp", ["pid": "4711"]),
        ProgramLine(
            "Redis, warning",
            "4711:C 20 Nov 2026 10:20:30.123 # Warning: no config file specified",
            "2026-11-20T10:20:30.123Z", .warning, nil, "Warning: no config file specified", ["pid": "4711"]),
        ProgramLine(
            "Redis, debug",
            "4711:S 20 Nov 2026 10:20:30.123 . 0 clients connected",
            "2026-11-20T10:20:30.123Z", .debug, nil, "0 clients connected", ["pid": "4711"]),
        ProgramLine(
            "Redis, verbose",
            "4711:M 20 Nov 2026 10:20:30.123 - Accepted 10.0.0.1:51000",
            "2026-11-20T10:20:30.123Z", .info, nil, "Accepted 10.0.0.1:51000", ["pid": "4711"]),

        // Web servers and proxies
        ProgramLine(
            "nginx error",
            "2026/11/20 10:20:30 [emerg] 4711#4712: bind() to 0.0.0.0:80 failed (98: Address "
                + "already in use)",
            "2026-11-20T10:20:30Z", .fatal, nil, "bind() to 0.0.0.0:80 failed (98: Address already in use)",
            ["pid": "4711", "thread": "4712"]),
        // doubtful: the connection and what follows stay in the text
        ProgramLine(
            "nginx error, connection",
            #"2026/11/20 10:20:30 [error] 4711#4711: *42 open() "/srv/x" failed (2: No such file or "#
                + #"directory), client: 10.0.0.1, server: shop.example, request: "GET /x HTTP/1.1""#,
            "2026-11-20T10:20:30Z", .error, nil,
            #"*42 open() "/srv/x" failed (2: No such file or directory), client: 10.0.0.1, server: "#
                + #"shop.example, request: "GET /x HTTP/1.1""#, ["pid": "4711"]),
        ProgramLine(
            "nginx access",
            #"10.0.0.1 - alice [20/Nov/2026:10:20:30 +0100] "GET /x?a=1 HTTP/1.1" 200 512 "-" "#
                + #""curl/8.5.0""#,
            "2026-11-20T09:20:30Z", .info, nil, "GET /x?a=1 HTTP/1.1",
            ["client": "10.0.0.1", "method": "GET", "status": "200", "bytes": "512"]),
        ProgramLine(
            "nginx access, 404",
            #"::1 - - [20/Nov/2026:10:20:30 +0000] "POST /error HTTP/2.0" 404 153 "#
                + #""https://shop.example/" "Mozilla/5.0""#,
            "2026-11-20T10:20:30Z", .warning, nil, "POST /error HTTP/2.0",
            ["client": "::1", "method": "POST", "path": "/error", "status": "404"]),
        ProgramLine(
            "nginx access, no request of HTTP",
            #"10.0.0.1 - - [20/Nov/2026:10:20:30 +0000] "\x16\x03\x01" 400 150 "-" "-""#,
            "2026-11-20T10:20:30Z", .warning, nil, #"\x16\x03\x01"#,
            ["client": "10.0.0.1", "status": "400", "bytes": "150"]),
        ProgramLine(
            "Apache error",
            "[Fri Nov 20 10:20:30.123456 2026] [core:error] [pid 4711:tid 139] AH00037: Symbolic "
                + "link not allowed",
            "2026-11-20T10:20:30.123456Z", .error, "core", "AH00037: Symbolic link not allowed",
            ["pid": "4711", "thread": "139"]),
        ProgramLine(
            "Apache error, notice",
            "[Fri Nov 20 10:20:30.123456 2026] [mpm_event:notice] [pid 1:tid 1] AH00489: "
                + "Apache/2.4.62 configured",
            "2026-11-20T10:20:30.123456Z", .notice, "mpm_event", "AH00489: Apache/2.4.62 configured",
            ["pid": "1", "thread": "1"]),
        ProgramLine(
            "Apache 2.2 error",
            "[Fri Nov 20 10:20:30 2026] [error] [client 10.0.0.1] File does not exist: /srv/x",
            "2026-11-20T10:20:30Z", .error, nil, "File does not exist: /srv/x", ["client": "10.0.0.1"]),
        ProgramLine(
            "Apache access, common",
            #"10.0.0.1 - - [20/Nov/2026:10:20:30 -0500] "GET /x HTTP/1.0" 500 2326"#,
            "2026-11-20T15:20:30Z", .error, nil, "GET /x HTTP/1.0",
            ["client": "10.0.0.1", "path": "/x", "status": "500", "bytes": "2326"]),
        ProgramLine(
            "Apache access, virtual host",
            #"shop.example:80 10.0.0.1 - - [20/Nov/2026:10:20:30 +0000] "GET /x HTTP/1.1" 301 0 "-" "#
                + #""curl/8.5.0""#,
            "2026-11-20T10:20:30Z", .info, nil, "GET /x HTTP/1.1",
            ["client": "10.0.0.1", "method": "GET", "status": "301"]),
        // doubtful: the time of syslog, not of the request
        ProgramLine(
            "HAProxy",
            "Nov 20 10:20:30 lb haproxy[4711]: 10.0.0.1:51000 [20/Nov/2026:10:20:30.123] web~ "
                + #"shop/srv1 0/0/0/44/45 503 217 - - sH-- 7/7/1/2/0 0/0 "GET /x HTTP/1.1""#,
            "2026-11-20T10:20:30Z", .error, "haproxy", "GET /x HTTP/1.1",
            ["host": "lb", "pid": "4711", "path": "/x", "status": "503"]),
        ProgramLine(
            "HAProxy, standard output",
            "10.0.0.1:51000 [20/Nov/2026:10:20:30.123] web~ shop/srv1 0/0/1/12/13 200 512 - - ---- "
                + #"5/5/0/1/0 0/0 "GET /x HTTP/1.1""#,
            "2026-11-20T10:20:30.123Z", .info, nil, "GET /x HTTP/1.1",
            ["method": "GET", "path": "/x", "status": "200", "bytes": "512"]),
        // doubtful: the number in parentheses
        ProgramLine(
            "HAProxy, start",
            "[NOTICE]   (4711) : New worker (4712) forked",
            nil, .notice, nil, "New worker (4712) forked", ["pid": "4711"]),
        ProgramLine(
            "Caddy, console",
            "2026/11/20 10:20:30.123\tWARN\thttp.auto_https\tserver is listening only on the "
                + #"HTTP port\#t{"server_name": "srv0"}"#,
            "2026-11-20T10:20:30.123Z", .warning, "http.auto_https",
            "server is listening only on the HTTP port", ["server_name": "srv0"]),
        // doubtful: its own level, not that of the status
        ProgramLine(
            "Caddy, access",
            #"{"level":"info","ts":1795170030.123,"logger":"http.log.access","msg":"handled "#
                + #"request","request":{"client_ip":"10.0.0.1","method":"GET","uri":"/x"},"size":29,"#
                + #""status":404}"#,
            "2026-11-20T10:20:30.123Z", .info, "http.log.access", "handled request",
            ["request.method": "GET", "request.uri": "/x", "status": "404", "size": "29"]),
        ProgramLine(
            "Traefik 2",
            #"time="2026-11-20T10:20:30Z" level=info msg="Configuration loaded from flags.""#,
            "2026-11-20T10:20:30Z", .info, nil, "Configuration loaded from flags."),
        // doubtful: the fields stay in the text
        ProgramLine(
            "Traefik 3",
            #"2026-11-20T10:20:30Z ERR Provider error, retrying error="no socket" "#
                + "providerName=docker",
            "2026-11-20T10:20:30Z", .error, nil,
            #"Provider error, retrying error="no socket" providerName=docker"#,
            ["error": "no socket", "providerName": "docker"]),
        ProgramLine(
            "Traefik access",
            #"10.0.0.1 - - [20/Nov/2026:10:20:30 +0000] "GET /x HTTP/1.1" 502 11 "-" "-" 42 "#
                + #""shop@docker" "http://172.18.0.2:80" 3ms"#,
            "2026-11-20T10:20:30Z", .error, nil, "GET /x HTTP/1.1",
            ["client": "10.0.0.1", "path": "/x", "status": "502", "bytes": "11"]),
        // doubtful: its message is empty
        ProgramLine(
            "Traefik access, JSON",
            #"{"ClientHost":"10.0.0.1","DownstreamStatus":200,"RequestMethod":"GET","#
                + #""RequestPath":"/x","StartUTC":"2026-11-20T10:20:29.5Z","level":"info","msg":"","#
                + #""time":"2026-11-20T10:20:30Z"}"#,
            "2026-11-20T10:20:30Z", .info, nil, "",
            ["ClientHost": "10.0.0.1", "DownstreamStatus": "200", "RequestPath": "/x"]),
        ProgramLine(
            "Envoy",
            "[2026-11-20 10:20:30.123][4711][critical][main] [source/server/server.cc:114] error "
                + "initializing",
            "2026-11-20T10:20:30.123Z", .fatal, "main", "error initializing",
            ["thread": "4711", "source": "source/server/server.cc:114"]),
        ProgramLine(
            "Envoy access",
            #"[2026-11-20T10:20:30.123Z] "GET /x HTTP/1.1" 503 UH 0 19 0 - "-" "curl/8.5.0" "8f5a" "#
                + #""shop" "-""#,
            "2026-11-20T10:20:30.123Z", .error, nil, "GET /x HTTP/1.1",
            ["method": "GET", "path": "/x", "status": "503"]),
        ProgramLine(
            "Squid",
            "1795170030.123     45 10.0.0.1 TCP_MISS/200 512 GET http://shop.example/x - "
                + "HIER_DIRECT/10.0.0.2 text/html",
            "2026-11-20T10:20:30.123Z", .info, nil, "GET http://shop.example/x",
            ["client": "10.0.0.1", "method": "GET", "status": "200", "bytes": "512"]),
        ProgramLine(
            "Squid, denied",
            "1795170030.123      0 10.0.0.1 TCP_DENIED/403 3900 CONNECT shop.example:443 - "
                + "HIER_NONE/- text/html",
            "2026-11-20T10:20:30.123Z", .warning, nil, "CONNECT shop.example:443",
            ["client": "10.0.0.1", "method": "CONNECT", "status": "403"]),

        // System
        ProgramLine(
            "journalctl",
            "Nov 20 10:20:30 web1 systemd[1]: Started shop.service - The shop.",
            "2026-11-20T10:20:30Z", nil, "systemd", "Started shop.service - The shop.",
            ["host": "web1", "pid": "1"]),
        ProgramLine(
            "journalctl -o short-iso",
            "2026-11-20T10:20:30+0100 web1 shop[4711]: cannot charge order 17",
            "2026-11-20T09:20:30Z", nil, "shop", "cannot charge order 17", ["host": "web1", "pid": "4711"]),
        ProgramLine(
            "journalctl -o json",
            #"{"__REALTIME_TIMESTAMP":"1795170030123456","PRIORITY":"3","SYSLOG_IDENTIFIER":"shop","#
                + #""_PID":"4711","_HOSTNAME":"web1","MESSAGE":"cannot charge"}"#,
            "2026-11-20T10:20:30.123456Z", .error, "shop", "cannot charge",
            ["_PID": "4711", "_HOSTNAME": "web1"]),
        ProgramLine(
            "sshd, traditional",
            "Nov 20 10:20:30 web1 sshd[4711]: Failed password for root from 10.0.0.1 port 51000 ssh2",
            "2026-11-20T10:20:30Z", nil, "sshd", "Failed password for root from 10.0.0.1 port 51000 ssh2",
            ["host": "web1", "pid": "4711"]),
        ProgramLine(
            "sshd, RFC 3339",
            "2026-11-20T10:20:30.123456+01:00 web1 sshd-session[4711]: Connection closed by 10.0.0.1",
            "2026-11-20T09:20:30.123456Z", nil, "sshd-session", "Connection closed by 10.0.0.1",
            ["host": "web1", "pid": "4711"]),
        ProgramLine(
            "cron, last year",
            "Dec  5 10:17:01 web1 CRON[4711]: (root) CMD (run-parts --report /etc/cron.hourly)",
            "2025-12-05T10:17:01Z", nil, "CRON", "(root) CMD (run-parts --report /etc/cron.hourly)",
            ["host": "web1", "pid": "4711"]),
        // doubtful: the word in the text is no level
        ProgramLine(
            "cron, RFC 3339",
            "2026-11-20T10:17:01.000000+00:00 web1 cron[812]: (CRON) INFO (pidfile fd = 3)",
            "2026-11-20T10:17:01Z", nil, "cron", "(CRON) INFO (pidfile fd = 3)",
            ["host": "web1", "pid": "812"]),
        ProgramLine(
            "syslog, kernel",
            "Nov 20 10:20:30 web1 kernel: usb 1-1: new high-speed USB device",
            "2026-11-20T10:20:30Z", nil, "kernel", "usb 1-1: new high-speed USB device", ["host": "web1"]),
        ProgramLine(
            "syslog, RFC 5424",
            "<165>1 2026-11-20T10:20:30.123Z web1 shop 4711 ID47 - cannot charge",
            "2026-11-20T10:20:30.123Z", .notice, "ID47", "cannot charge",
            ["host": "web1", "program": "shop", "pid": "4711"]),
        ProgramLine(
            "syslog, RFC 3164 with a priority",
            "<34>Nov 20 10:20:30 web1 su: 'su root' failed for bo on /dev/pts/8",
            "2026-11-20T10:20:30Z", .fatal, "su", "'su root' failed for bo on /dev/pts/8", ["host": "web1"]),
        // doubtful: the uptime is not text
        ProgramLine(
            "dmesg",
            "[   12.345678] EXT4-fs (sda1): mounted filesystem",
            nil, nil, nil, "EXT4-fs (sda1): mounted filesystem"),
        ProgramLine(
            "dmesg -T",
            "[Fri Nov 20 10:20:30 2026] Out of memory: Killed process 4711 (shop)",
            "2026-11-20T10:20:30Z", nil, nil, "Out of memory: Killed process 4711 (shop)"),
        // doubtful: the pairs are the text, the type no category
        ProgramLine(
            "auditd",
            "type=USER_LOGIN msg=audit(1763634030.123:42): pid=4711 uid=0 ses=3 res=success",
            "2025-11-20T10:20:30.123Z", nil, nil, "pid=4711 uid=0 ses=3 res=success",
            ["type": "USER_LOGIN", "pid": "4711", "res": "success"]),

        // Containers and clouds
        ProgramLine(
            "CRI",
            "2026-11-20T10:20:30.123456789Z stderr F cannot charge order 17",
            "2026-11-20T10:20:30.123456789Z", nil, nil, "cannot charge order 17", ["stream": "stderr"]),
        ProgramLine(
            "CRI, JSON within",
            #"2026-11-20T10:20:30.123456789Z stdout F {"level":"error","msg":"cannot charge","#
                + #""order":17}"#,
            "2026-11-20T10:20:30.123456789Z", .error, nil, "cannot charge",
            ["stream": "stdout", "order": "17"]),
        ProgramLine(
            "CRI, partial",
            "2026-11-20T10:20:30.123456789+01:00 stdout P a long li",
            "2026-11-20T09:20:30.123456789Z", nil, nil, "a long li", ["stream": "stdout"]),
        // doubtful: the pod without `pod/`
        ProgramLine(
            "kubectl logs --prefix",
            "[pod/shop-7d9f/app] 2026-11-20T10:20:30Z ERROR cannot charge order 17",
            "2026-11-20T10:20:30Z", .error, nil, "cannot charge order 17",
            ["pod": "shop-7d9f", "container": "app"]),
        ProgramLine(
            "kubectl logs --prefix, klog within",
            "[pod/dns-5f6c/dns] W1120 10:20:30.123456       1 main.go:12] slow answer",
            "2026-11-20T10:20:30.123456Z", .warning, nil, "slow answer",
            ["pod": "dns-5f6c", "container": "dns", "source": "main.go:12"]),
        // doubtful: the prefix has no mark
        ProgramLine(
            "stern",
            "shop-7d9f9c5b8d-x2x4k app 2026-11-20T10:20:30Z ERROR cannot charge order 17",
            "2026-11-20T10:20:30Z", .error, nil, "cannot charge order 17",
            ["pod": "shop-7d9f9c5b8d-x2x4k", "container": "app"]),
        ProgramLine(
            "Docker json-file",
            #"{"log":"ERROR cannot charge order 17\n","stream":"stderr","#
                + #""time":"2026-11-20T10:20:30.123456789Z"}"#,
            "2026-11-20T10:20:30.123456789Z", .error, nil, "cannot charge order 17", ["stream": "stderr"]),
        ProgramLine(
            "Docker json-file, no level",
            #"{"log":"started\n","stream":"stderr","time":"2026-11-20T10:20:30.123456789Z"}"#,
            "2026-11-20T10:20:30.123456789Z", nil, nil, "started", ["stream": "stderr"]),
        ProgramLine(
            "docker compose",
            "web-1  | 2026-11-20T10:20:30Z ERROR cannot charge order 17",
            "2026-11-20T10:20:30Z", .error, nil, "cannot charge order 17", ["container": "web-1"]),
        ProgramLine(
            "docker compose, PostgreSQL within",
            "db-1   | 2026-11-20 10:20:30.123 UTC [1] LOG:  checkpoint starting: time",
            "2026-11-20T10:20:30.123Z", .info, nil, "checkpoint starting: time",
            ["container": "db-1", "pid": "1"]),
        ProgramLine(
            "docker compose 1",
            #"web_1       | {"level":"warn","ts":1795170030.123,"msg":"slow answer"}"#,
            "2026-11-20T10:20:30.123Z", .warning, nil, "slow answer", ["container": "web_1"]),
        ProgramLine(
            "Lambda, Python",
            "[INFO]\t2026-11-20T10:20:30.123Z\t8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tcharged order 17",
            "2026-11-20T10:20:30.123Z", .info, nil, "charged order 17"),
        ProgramLine(
            "Lambda, Node.js",
            "2026-11-20T10:20:30.123Z\t8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tERROR\tcannot "
                + "charge order 17",
            "2026-11-20T10:20:30.123Z", .error, nil, "cannot charge order 17"),
        ProgramLine(
            "Lambda, report",
            "REPORT RequestId: 8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tDuration: 12.34 ms\tMax "
                + "Memory Used: 64 MB",
            nil, nil, nil,
            "REPORT RequestId: 8f5a1c2e-0b1d-4c3e-9f6a-2d7b8c9e0f1a\tDuration: 12.34 ms\tMax "
                + "Memory Used: 64 MB"),
    ]
}
