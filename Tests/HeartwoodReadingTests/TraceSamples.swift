import Testing

/// Traces as the languages write them.
enum TraceSamples {
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether its first line joins a trace in front of it.
        let joinsItself: Bool
        let text: String

        init(_ name: String, joinsItself: Bool = false, _ text: String) {
            (self.name, self.joinsItself, self.text) = (name, joinsItself, text)
        }

        var testDescription: String { name }
    }

    static let all = python + java + kotlin + dotNet + node + go + rust + swift + ruby + php + native

    static let python = [
        Sample(
            "Python, chained",
            #"""
            2026-11-20 10:20:30,988 ERROR shop cannot charge
            Traceback (most recent call last):
              File "/app/a.py", line 6, in <module>
                try: f()
                     ^^^
              File "/app/a.py", line 4, in f
                def f(): return {}["x"]
                                ~~^^^^^
            KeyError: 'x'

            The above exception was the direct cause of the following exception:

            Traceback (most recent call last):
              File "/app/a.py", line 7, in <module>
                except KeyError as e: raise RuntimeError("no price") from e
                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            RuntimeError: no price
            """#),
        Sample(
            "Python, announced at the end of the logged line",
            #"""
            2026-11-20 10:20:30,990 ERROR shop cannot charge: Traceback (most recent call last):
              File "/app/a.py", line 10, in <module>
                try: f()
                     ^^^
            KeyError: 'x'

            During handling of the above exception, another exception occurred:

            Traceback (most recent call last):
              File "/app/a.py", line 11, in <module>
                except KeyError as e: raise ValueError("y")
            shop.errors.charge.<locals>.Declined: y
            """#),
        Sample(
            "Python, a group of exceptions",
            #"""
            2026-11-20 10:20:30,990 ERROR shop group
              + Exception Group Traceback (most recent call last):
              |   File "/app/a.py", line 13, in <module>
              |     try: raise ExceptionGroup("g",[ValueError(1),ExceptionGroup("h",[TypeError("a\nb")])])
              |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              | ExceptionGroup: g (2 sub-exceptions)
              +-+---------------- 1 ----------------
                | ValueError: 1
                +---------------- 2 ----------------
                | ExceptionGroup: h (1 sub-exception)
                +-+---------------- 1 ----------------
                  | TypeError: a
                  | b
                  +------------------------------------

            The above exception was the direct cause of the following exception:

            Traceback (most recent call last):
              File "/app/a.py", line 15, in <module>
            KeyboardInterrupt
            """#),
        Sample(
            "Python, a syntax error",
            #"""
            ERROR:root:cannot load the plug-in
            Traceback (most recent call last):
              File "/app/a.py", line 15, in <module>
                try: exec("foo(\n")
                     ^^^^^^^^^^^^^^
              File "<string>", line 1
                foo(
                   ^
            SyntaxError: '(' was never closed
            """#),
        Sample(
            "Python, a thread",
            #"""
            Exception in thread Thread-1 (<lambda>):
            Traceback (most recent call last):
              File "/usr/lib/python3.11/threading.py", line 1045, in _bootstrap_inner
                self.run()
              File "/app/a.py", line 24, in <lambda>
                t=threading.Thread(target=lambda: 1/0); t.start(); t.join()
                                                  ~^~
            ZeroDivisionError: division by zero
            """#),
        Sample(
            "Python, a task",
            #"""
            2026-11-20 10:20:30,044 ERROR asyncio Task exception was never retrieved
            future: <Task finished name='Task-2' coro=<g() done> exception=ZeroDivisionError()>
            Traceback (most recent call last):
              File "/app/a.py", line 18, in g
                async def g(): 1/0
                               ~^~
            ZeroDivisionError: division by zero
            """#),
        Sample(
            "Python, a broken call of a logger",
            #"""
            --- Logging error ---
            Traceback (most recent call last):
              File "/usr/lib/python3.11/logging/__init__.py", line 1110, in emit
                msg = self.format(record)
                      ^^^^^^^^^^^^^^^^^^^
            TypeError: %d format: a real number is required, not str
            Call stack:
              File "/app/a.py", line 25, in <module>
                log.error("%d","x")
            Message: '%d'
            Arguments: ('x',)
            """#),
        Sample(
            "Python, another process",
            #"""
            concurrent.futures.process._RemoteTraceback:\#u{20}
            """
            Traceback (most recent call last):
              File "/usr/lib/python3.11/concurrent/futures/process.py", line 261, in _process_worker
                r = call_item.fn(*call_item.args, **call_item.kwargs)
            ValueError: invalid literal for int() with base 10: 'x'
            """

            The above exception was the direct cause of the following exception:

            Traceback (most recent call last):
              File "/app/a.py", line 28, in <module>
                with ProcessPoolExecutor(1) as p: p.submit(int,"x").result()
            ValueError: invalid literal for int() with base 10: 'x'
            """#),
        Sample(
            "Python, the message of a database",
            #"""
            [2026-11-20 10:20:30] ERROR in app: Exception on /pay [POST]
            Traceback (most recent call last):
              File "/app/db.py", line 12, in query
                cursor.execute(statement)
            psycopg2.errors.UndefinedTable: relation "baskets" does not exist
            LINE 1: SELECT * FROM baskets
                                  ^
            HINT:  Perhaps you meant "basket".

            The above exception was the direct cause of the following exception:

            Traceback (most recent call last):
              File "/app/web.py", line 3, in pay
            sqlalchemy.exc.ProgrammingError: (UndefinedTable) relation "baskets" does not exist
            LINE 1: SELECT * FROM baskets
                                  ^

            [SQL: SELECT * FROM baskets]
            (Background on this error at: https://sqlalche.me/e/20/f405)
            """#),
        Sample(
            "Python, fields that are not valid",
            #"""
            2026-11-20 10:20:30,044 ERROR web bad request
            Traceback (most recent call last):
              File "/app/web.py", line 18, in parse
            pydantic_core._pydantic_core.ValidationError: 2 validation errors for Order
            amount
              Field required [type=missing, input_value={}, input_type=dict]
                For further information visit https://errors.pydantic.dev/2.5/v/missing
            items.0.price
              Input should be a valid integer [type=int_parsing, input_value='a', input_type=str]
                For further information visit https://errors.pydantic.dev/2.5/v/int_parsing
            """#),
        Sample(
            "Python, the interpreter itself",
            #"""
            Fatal Python error: Segmentation fault

            Current thread 0x00007f12a4c5f740 (most recent call first):
              File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
              File "/app/a.py", line 3 in <module>

            Extension modules: numpy.core._multiarray_umath, _ctypes (total: 2)
            Segmentation fault (core dumped)
            """#),
    ]
}

extension TraceSamples {
    static let java = [
        Sample(
            "Java, causes and suppressed exceptions",
            #"""
            2026-11-20 10:20:30 ERROR payment failed
            com.shop.Main$DeclinedException: declined
            \#tat com.shop.Main.f(Main.java:4)
            \#tat java.base/jdk.internal.reflect.DirectAccessor.invoke(DirectAccessor.java:103)
            \#tat java.base/java.lang.reflect.Method.invoke(Method.java:580)
            \#tSuppressed: java.io.IOException: close
            \#t\#t... 9 more
            Caused by: java.lang.IllegalArgumentException: ERROR: syntax error at or near "x"
              Detail: near "x"
            Position: 15
            \#tat com.shop.Main.g(Main.java:3)
            \#t... 23 more
            Caused by: java.net.SocketTimeoutException
            \#tat java.net.Socket.read(Socket.java:3)
            ... 24 common frames omitted
            """#),
        Sample(
            "Java, a database, with messages of several lines",
            #"""
            2026-11-20 10:20:30.123 ERROR 4711 --- [main] c.s.Shop : cannot charge
            org.postgresql.util.PSQLException: ERROR: syntax error at or near "x"
            Detail: near "x"
            Hint: No operator matches the given name.
            Where: PL/pgSQL function charge() line 3
            \#tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2733)
            \#tat com.shop.Shop.charge(Shop.java:12)
            """#),
        Sample(
            "Java, the exception in the logged line",
            #"""
            2026-11-20 10:20:30 ERROR charge: org.postgresql.util.PSQLException: ERROR: syntax error
            Detail: near "x"
            \#tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2733)
            Caused by: java.io.IOException: broken
            \#tat com.shop.Net.read(Net.java:3)
            """#),
        Sample(
            "Java, without a package, uncaught",
            #"""
            Exception in thread "main" java.lang.RuntimeException: x
            \#tat Main.main(Main.java:1)
            Caused by: DeclinedException: no funds
            \#tat Main.charge(Main.java:7)
            \#t... 1 more
            """#),
        Sample(
            "Java, without a package, after an error",
            #"""
            2026-11-20 10:20:30 ERROR cannot charge
            DeclinedException: no funds
            \#tat Main.charge(Main.java:7)
            """#),
        Sample(
            "Java, MyBatis and Spring",
            #"""
            2026-11-20 10:20:30 ERROR request failed
            org.springframework.jdbc.BadSqlGrammarException:\#u{20}
            ### Error querying database.  Cause: java.sql.SQLException: no table
            ### The error may exist in com/shop/Mapper.java (best guess)
            ### SQL: SELECT * FROM x
            ### Cause: java.sql.SQLSyntaxErrorException: Table 'shop.x' doesn't exist
            ; bad SQL grammar []; nested exception is java.sql.SQLException: no table
            \#tat org.springframework.jdbc.support.Translator.doTranslate(Translator.java:239)
            Caused by: java.sql.SQLSyntaxErrorException: Table 'shop.x' doesn't exist
            \#tat com.mysql.cj.jdbc.exceptions.SQLError.createSQLException(SQLError.java:120)
            """#),
        Sample(
            "Java, frames without a tab",
            #"""
            java.lang.IllegalStateException: declined
            at com.shop.Payment.charge(Payment.java:12)
            at com.shop.Main.main(Main.java:3)
            Caused by: java.io.IOException
            at com.shop.Net.read(Net.java)
            """#),
    ]

    static let kotlin = [
        Sample(
            "Kotlin, a coroutine",
            #"""
            2026-11-20 10:20:30 ERROR [DefaultDispatcher-worker-1] c.s.Shop - charge
            kotlinx.coroutines.TimeoutCancellationException: Timed out waiting for 1000 ms
            \#tat kotlinx.coroutines.TimeoutKt.TimeoutCancellationException(Timeout.kt:191)
            \#tat _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)
            \#tat com.shop.ShopKt$main$1.invokeSuspend(Shop.kt:9)
            Caused by: kotlinx.coroutines.TimeoutCancellationException: Timed out waiting for 1000 ms
            \#tat kotlinx.coroutines.TimeoutKt.TimeoutCancellationException(Timeout.kt:191)
            """#),
        Sample(
            "Kotlin, in a thread",
            #"""
            Exception in thread "DefaultDispatcher-worker-1" kotlin.NoSuchElementException: x
            \#tat com.shop.Shop.getX(Shop.kt:3)
            \#tat com.shop.ShopKt.main(Shop.kt)
            \#tSuppressed: kotlinx.coroutines.internal.DiagnosticException: [Coroutine{Cancelling}@1]
            """#),
        Sample(
            "Kotlin, native",
            #"""
            Uncaught Kotlin exception: kotlin.IllegalStateException: declined
                at 0   app.kexe    0x0000000104a1b2c3 kfun:kotlin.Throwable#<init>(kotlin.String?){} + 99
                at 1   app.kexe    0x0000000104a1b2c3 kfun:#main(){} + 83 (/src/main.kt:3:11)
            Caused by: kotlin.NullPointerException
                at 0   app.kexe    0x0000000104a1b2c3 kfun:#f(){} + 83
            """#),
    ]

    static let dotNet = [
        Sample(
            ".NET, uncaught, with an inner exception",
            #"""
            Unhandled exception. System.InvalidOperationException: cannot charge
             ---> System.IO.FileNotFoundException: Could not find file '/app/x'.
            File name: '/app/x'
               at Microsoft.Win32.SafeHandles.SafeFileHandle.Open(String path) in /_/File.cs:line 41
               at Shop.Net.Read() in /src/Net.cs:line 7
               --- End of inner exception stack trace ---
               at Shop.Program.Main(String[] args) in /src/Program.cs:line 3
            Aborted (core dumped)
            """#),
        Sample(
            ".NET, tasks",
            #"""
            [2026-11-20 10:20:30 ERR] request failed: ERROR
            System.AggregateException: One or more errors occurred. (cannot charge)
             ---> System.Net.Sockets.SocketException (111): Connection refused
               at System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync(String host, Int32 port)
            --- End of stack trace from previous location ---
               at System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)
               --- End of inner exception stack trace ---
               at Shop.Program.<Main>d__0.MoveNext() in /src/Program.cs:line 3
             ---> (Inner Exception #1) System.TimeoutException: The operation has timed out.<---
            """#),
        Sample(
            ".NET, a database",
            #"""
            2026-11-20 10:20:30.123 +00:00 [ERR] ERROR query
            Npgsql.PostgresException (0x80004005): 42P01: relation "baskets" does not exist

            POSITION: 15
               at Npgsql.Internal.NpgsqlConnector.ReadMessageLong(Boolean async)
               at Shop.Db.Query(String sql) in /src/Db.cs:line 12
              Exception data:
                Severity: ERROR
                SqlState: 42P01
            """#),
        Sample(
            ".NET, the console",
            #"""
            fail: Microsoft.AspNetCore.Server.Kestrel[13]
                  Connection id "0HM", Request id "0HM:1": An unhandled exception was thrown.
                  System.ArgumentNullException: Value cannot be null. (Parameter 'x')
                     at Shop.Program.<>c.<Main>b__0_0(HttpContext context) in /src/Program.cs:line 9
            """#),
        Sample(
            ".NET, SQL Server",
            #"""
            Microsoft.Data.SqlClient.SqlException (0x80131904): Invalid object name 'baskets'.
               at Microsoft.Data.SqlClient.SqlConnection.OnError(SqlException exception)
               at Shop.Db.Query(String sql)
            ClientConnectionId:59c1b7f2-0000-4f7e-8a3d-1b2c3d4e5f60
            Error Number:208,State:1,Class:16
            """#),
    ]
}

extension TraceSamples {
    static let go = [
        Sample(
            "Go, a panic",
            #"""
            panic: runtime error: invalid memory address or nil pointer dereference
            [signal SIGSEGV: segmentation violation code=0x1 addr=0x98 pc=0xe1d30f]

            goroutine 1 [running]:
            main.(*Shop).charge(0xc000012345, {0x4b1c20?, 0xc00001c0a8?})
            \#t/app/shop.go:12 +0x1b
            main.main()
            \#t/app/main.go:69 +0x1af
            exit status 2
            """#),
        Sample(
            "Go, goroutines",
            #"""
            fatal error: all goroutines are asleep - deadlock!

            goroutine 1 [chan receive]:
            main.main()
            \#t/app/main.go:7 +0x1d

            goroutine 18 [select, 3 minutes]:
            github.com/shop/net.(*Server).serve.func1({0x1, 0x2})
            \#t/app/net/server.go:3 +0x1d
            created by github.com/shop/net.(*Server).Serve in goroutine 1
            \#t/app/net/server.go:1 +0x1d
            exit status 2
            """#),
        Sample(
            "Go, a panic again",
            #"""
            panic: first [recovered]
            \#tpanic: second

            goroutine 1 [running]:
            panic({0x47a3e0?, 0x4c5f90?})
            \#t/usr/local/go/src/runtime/panic.go:770 +0x132
            main.main.func1()
            \#t/app/main.go:6 +0x1d
            """#),
        Sample(
            "Go, recovered by a server",
            #"""
            2026/11/20 10:20:30 http: panic serving 127.0.0.1:4711: boom
            goroutine 18 [running]:
            net/http.(*conn).serve.func1()
            \#t/usr/local/go/src/net/http/server.go:1868 +0xb9
            """#),
        Sample(
            "Go, zap",
            #"""
            2026-11-20T10:20:30.123Z\#tERROR\#tshop/shop.go:12\#tcannot charge\#t{"error": "declined"}
            main.charge
            \#t/app/shop.go:12
            github.com/shop/net.(*Server).Handle
            \#t/app/net/server.go:3
            net/http.HandlerFunc.ServeHTTP
            \#t/usr/local/go/src/net/http/server.go:2136
            runtime.goexit
            \#t/usr/local/go/src/runtime/asm_amd64.s:1650
            """#),
        Sample(
            "Go, the stack",
            #"""
            runtime: goroutine stack exceeds 1000000000-byte limit
            runtime: sp=0xc0200e0390 stack=[0xc0200e0000, 0xc0400e0000]
            fatal error: stack overflow

            runtime stack:
            runtime.throw({0x46b3a5?, 0x0?})
            \#t/usr/local/go/src/runtime/panic.go:1023 +0x5c
            runtime.newstack()
            \#t/usr/local/go/src/runtime/stack.go:1103 +0x5bd

            goroutine 1 [running]:
            main.f()
            \#t/app/main.go:3 +0x1d
            ...additional frames elided...
            created by main.main
            \#t/app/main.go:7 +0x1d
            exit status 2
            """#),
        Sample(
            "Go, a race", joinsItself: true,
            #"""
            ==================
            WARNING: DATA RACE
            Write at 0x00c00001c0a8 by goroutine 7:
              main.main.func1()
                  /app/main.go:9 +0x38

            Previous read at 0x00c00001c0a8 by main goroutine:
              main.main()
                  /app/main.go:11 +0x8b

            Goroutine 7 (running) created at:
              main.main()
                  /app/main.go:8 +0x7a
            ==================
            Found 1 data race(s)
            exit status 66
            """#),
    ]

    static let rust = [
        Sample(
            "Rust, a hint",
            #"""
            thread 'main' panicked at src/main.rs:3:5:
            index out of bounds: the len is 0 but the index is 4
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
            """#),
        Sample(
            "Rust, a backtrace",
            #"""
            thread 'main' (28828) panicked at src/main.rs:1:128:
            assertion `left == right` failed: sums
              left: 1
             right: 2
            stack backtrace:
               0: __rustc::rust_begin_unwind
                         at /rustc/59807616e1fa25407/library/std/src/panicking.rs:689:5
               1: core::panicking::panic_fmt
                         at /rustc/59807616e1fa25407/library/core/src/panicking.rs:80:14
               2: app::main
            note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.
            """#),
        Sample(
            "Rust, an older one",
            #"""
            thread '<unnamed>' panicked at 'called `unwrap()` on `Err`: Os { code: 2 }', src/main.rs:3:5
            stack backtrace:
               0: rust_begin_unwind
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
            """#),
        Sample(
            "Rust, logged",
            #"""
            2026-11-20T10:20:30Z ERROR panic: thread 'main' panicked at src/main.rs:3:5:
            declined
               0: app::main
                         at ./src/main.rs:3:5
            """#),
        Sample(
            "Rust, anyhow",
            #"""
            Error: cannot charge

            Caused by:
                0: cannot read the price
                1: No such file or directory (os error 2)

            Stack backtrace:
               0: anyhow::error::<impl anyhow::Error>::msg
                         at /root/.cargo/registry/src/anyhow-1.0.75/src/error.rs:83:36
               1: app::main
            """#),
        Sample(
            "Rust, the stack",
            #"""
            thread 'main' has overflowed its stack
            fatal runtime error: stack overflow, aborting
            Aborted (core dumped)
            """#),
    ]

    static let swift = [
        Sample(
            "Swift, a crash",
            #"""
            Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range

            *** Signal 4: Backtracing from 0x7fb7a036df7f... done ***

            *** Program crashed: Illegal instruction at 0x00007fb7a036df7f ***

            Platform: x86_64 Linux (Debian GNU/Linux 12 (bookworm))

            Thread 0 "s" crashed:

              0      0x00007fb7a036df7f closure #1 in _assertionFailure(_:) + 623 in libswiftCore.so
              3 [ra] 0x00005651577bee81 boom(_:) + 32 in s at /app/s.swift:1:32
            ...


            Registers:

            rax 0x0000000000000000  0
            rdx 0x00000000000002b4  692
             r8 0x0000000000000007  7
            rip 0x00007fb7a036df7f  0f 0b 48 83 ec 08 48 8d 05 64 50 49 00 48 8d 3d  ··H·ì·H··dPI·H·=

            rflags 0x0000000000010206  PF

            cs 0x0033  fs 0x0000  gs 0x0000


            Images (12 omitted):

            0x00005651577be000–0x00005651577bf1a0 9d09dfb97235e9f933a330a9ffcb36c200b934cf s   /app/s
            0x00007fb7a0200000–0x00007fb7a07d2d40 b521f25fdeacf504eca83d97c7308e8fc11be729 libswiftCore.so

            Backtrace took 0.01s
            """#),
        Sample(
            "Swift, in color",
            #"""
            app/main.swift:3: Fatal error: Index out of range

            💣 Program crashed: Illegal instruction at 0x00007f2a1c3b

            Platform: x86_64 Linux (Debian 12)

            Thread 0 "app" crashed:

            0 0x00007f2a1c3b _assertionFailure + 123 in libswiftCore.so
            1 [ra] 0x000055d0a1b2 main + 45 in app at /app/main.swift:3:7
            2 [inlined] [system] closure #1 in run() in app at /app/main.swift:9:1
            12 boom() + 57 in app at /app/main.swift:3:5

                 1│ let list = [1]
            Registers:

            rax 0x0000000000000001  1
            Images (12 omitted):

            0x000055d0a000–0x000055d0b000 app

            Press space to interact, D to debug, or any other key to quit (30s)
            Crash report written
            Backtrace took 0.02s
            """#),
        Sample(
            "Swift, without the backtracer",
            #"""
            Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range
            Current stack trace:
            0    libswiftCore.so                    0x00007f479695f130 swift_reportError + 33
            1    libswiftCore.so      0x00007f4796d12b60 _swift_stdlib_reportFatalErrorInFile + 109
            9    s                                  0x000055aa5020bb31 <unavailable> + 2865
            """#),
        Sample(
            "Swift, the compiler",
            #"""
            2026-11-20 10:20:30 ERROR build failed
            Stack dump:
            0.\#tProgram arguments: /opt/swift/usr/bin/swift-frontend -c main.swift
            1.\#tSwift version 6.3 (swift-6.3-RELEASE)
            2.\#tWhile evaluating request TypeCheckSourceFileRequest(source_file "main.swift")
             #0 0x000055d0a1b2 llvm::sys::PrintStackTrace(llvm::raw_ostream&) (/opt/swift-frontend+0x1)
            """#),
    ]

    static let native = [
        Sample(
            "C++, an exception",
            #"""
            terminate called after throwing an instance of 'std::runtime_error'
              what():  boom
            Aborted (core dumped)
            """#),
        Sample(
            "C++, freed memory", joinsItself: true,
            #"""
            =================================================================
            ==28848==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010
            READ of size 4 at 0x602000000010 thread T0
                #0 0x55c76def826b in main /app/c.cpp:3
                #1 0x7f6ebd245249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58

            0x602000000010 is located 0 bytes inside of 4-byte region [0x602000000010,0x602000000014)
            freed by thread T0 here:
                #0 0x7f6ebd4ba3c8 in operator delete(void*, unsigned long) asan_new_delete.cpp:164

            previously allocated by thread T0 here:
                #0 0x7f6ebd4b94c8 in operator new(unsigned long) asan_new_delete.cpp:95

            SUMMARY: AddressSanitizer: heap-use-after-free /app/c.cpp:3 in main
            Shadow bytes around the buggy address:
              0x0c047fff7fb0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            =>0x0c047fff8000: fa fa[fd]fa fa fa fa fa fa fa fa fa fa fa fa fa
            Shadow byte legend (one shadow byte represents 8 application bytes):
              Addressable:           00
            ==28848==ABORTING
            """#),
        Sample(
            "C++, a null pointer",
            #"""
            AddressSanitizer:DEADLYSIGNAL
            =================================================================
            ==28855==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000
            ==28855==The signal is caused by a READ memory access.
            ==28855==Hint: address points to the zero page.
                #0 0x55c5087b41d2 in main /app/l.cpp:1

            AddressSanitizer can not provide additional info.
            SUMMARY: AddressSanitizer: SEGV /app/l.cpp:1 in main
            ==28855==ABORTING
            """#),
        Sample(
            "C++, leaks", joinsItself: true,
            #"""
            =================================================================
            ==28856==ERROR: LeakSanitizer: detected memory leaks

            Direct leak of 16 byte(s) in 1 object(s) allocated from:
                #0 0x7f9c67eb9628 in operator new[](unsigned long) asan_new_delete.cpp:98

            SUMMARY: AddressSanitizer: 16 byte(s) leaked in 1 allocation(s).
            """#),
        Sample(
            "C++, gdb",
            #"""
            Program received signal SIGSEGV, Segmentation fault.
            0x000055555555516b in main (n=1) at l.cpp:1
            1\#tint main(int n, char**){ int*p=nullptr; return *p; }
            #0  0x000055555555516b in g (
                n=1) at l.cpp:1
            #1  main () at l.cpp:9
            """#),
    ]
}

extension TraceSamples {
    static let node = [
        Sample(
            "Node, uncaught, with a cause",
            #"""
            /app/b.js:1
            function f(){ throw new TypeError("x", {cause: new Error("inner")}); }
                          ^

            TypeError: x
                at f (/app/b.js:1:21)
                at Object.<anonymous> (/app/b.js:2:1)
                ... 5 lines matching cause stack trace ...
                at node:internal/main/run_main_module:28:49 {
              [cause]: Error: inner
                  at f (/app/b.js:1:48)
                  at node:internal/main/run_main_module:28:49
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, an error of the system",
            #"""
            node:fs:573
              return binding.open(
                             ^

            Error: ENOENT: no such file or directory, open '/nope'
                at Object.openSync (node:fs:573:18)
                at node:internal/main/run_main_module:28:49 {
              errno: -2,
              code: 'ENOENT',
              syscall: 'open',
              path: '/nope'
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, a rejection",
            #"""
            node:internal/process/promises:389
                  new UnhandledPromiseRejection(reason);
                  ^

            UnhandledPromiseRejection: This error originated either by throwing inside of an async function
                at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)
                at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {
              code: 'ERR_UNHANDLED_REJECTION'
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, no exception",
            #"""
            /app/f.js:1
            throw "boom"
            ^
            boom
            Thrown at:
                at /app/f.js:1:1
                at Module._compile (node:internal/modules/cjs/loader:1521:14)
                at node:internal/main/run_main_module:28:49


            Node.js v20.20.2
            """#),
        Sample(
            "Node, where to look",
            #"""
            /app/f.js:1
            throw "boom"
            ^
            boom
            (Use `node --trace-uncaught ...` to show where the exception was thrown)

            Node.js v20.20.2
            """#),
        Sample(
            "Node, a module",
            #"""
            node:internal/modules/cjs/loader:1210
              throw err;
              ^

            Error: Cannot find module './nope'
            Require stack:
            - /app/g.js
            - /app/h.js
                at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
                at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12) {
              code: 'MODULE_NOT_FOUND',
              requireStack: [ '/app/g.js' ]
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, an assertion",
            #"""
            node:assert:90
              throw new AssertionError(obj);
              ^

            AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

            1 !== 2

                at Object.<anonymous> (/app/h.js:1:19)
                at node:internal/main/run_main_module:28:49 {
              generatedMessage: true,
              code: 'ERR_ASSERTION'
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, objects that differ",
            #"""
            node:assert:90
              throw new AssertionError(obj);
              ^

            AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
            + actual - expected

              {
            +   a: 1
            -   a: 2
              }
                at Object.<anonymous> (/app/i.js:1:19)
                at node:internal/main/run_main_module:28:49

            Node.js v20.20.2
            """#),
        Sample(
            "Node, logged",
            #"""
            2026-11-20 10:20:30 ERROR cannot charge
            TypeError: Cannot read properties of undefined (reading 'price')
                at charge (/app/shop.js:12:7)
                at async Server.<anonymous> (file:///app/main.mjs:3:5) {
              code: 'E_PRICE'
            }
            """#),
        Sample(
            "Node, without a source line",
            #"""
            Error: ENOENT: no such file or directory, open '/nope'
                at async open (node:internal/fs/promises:639:25)
                at async file:///app/main.mjs:1:1 {
              errno: -2,
              code: 'ENOENT'
            }

            Node.js v20.20.2
            """#),
        Sample(
            "Node, a warning",
            #"""
            (node:28706) Warning: w
            (Use `node --trace-warnings ...` to show where the warning was created)
            """#),
    ]

    static let ruby = [
        Sample(
            "Ruby, uncaught, with a cause", joinsItself: true,
            #"""
            /app/a.rb:4:in 'Object#rescue in f': outer (RuntimeError)
            \#tfrom /app/a.rb:1:in 'Object#f'
            \#tfrom /app/a.rb:8:in '<main>'
            /app/a.rb:2:in 'Integer#/': divided by 0 (ZeroDivisionError)
            \#tfrom /app/a.rb:2:in 'Object#f'
            \#tfrom /app/a.rb:8:in '<main>'
            """#),
        Sample(
            "Ruby, the source line", joinsItself: true,
            #"""
            a.rb:1:in '<main>': undefined method 'foo' for nil (NoMethodError)

            nil.foo
               ^^^^
            Did you mean?  for
            \#tfrom b.rb:2:in 'Kernel#require'
            """#),
        Sample(
            "Ruby, with a backquote", joinsItself: true,
            #"""
            a.rb:3:in `f': text (RuntimeError)
            \#tfrom a.rb:9:in `<main>'
            """#),
        Sample(
            "Ruby, most recent call last",
            #"""
            Traceback (most recent call last):
            \#t2: from a.rb:8:in `<main>'
            \#t1: from a.rb:5:in `g'
            a.rb:1:in `f': boom (RuntimeError)
            """#),
        Sample(
            "Ruby, a logger",
            #"""
            E, [2026-11-20T10:20:30.123456 #1] ERROR -- : boom (RuntimeError)
            /app/models/x.rb:3:in 'X#f'
            /app/main.rb:9:in 'block in <main>'
            /app/main.rb:9:in '<main>'
            """#),
        Sample(
            "Ruby, Rails",
            #"""
            ActiveRecord::RecordNotFound (Couldn't find User with 'id'=3):

            app/models/user.rb:3:in 'User.find_it'
            app/controllers/users_controller.rb:12:in 'UsersController#show'
            """#),
        Sample(
            "Ruby, a template of Rails",
            #"""
            2026-11-20 10:20:30 ERROR [6f1]\#u{20}
            ActionView::Template::Error (undefined local variable or method 'x' for #<View>):
                1: <h1>
                2:   <%= x %>
              
            app/views/users/show.html.erb:2:in '_app_views_users_show'
            actionpack (7.1.0) lib/action_controller/metal.rb:12:in 'process'
            """#),
    ]

    static let php = [
        Sample(
            "PHP, uncaught",
            #"""
            PHP Fatal error:  Uncaught Exception: declined in /app/shop.php:3
            Stack trace:
            #0 /app/main.php(7): charge()
            #1 {main}
              thrown in /app/shop.php on line 3
            """#),
        Sample(
            "PHP, a chain in the log",
            #"""
            [2026-11-20 10:20:30 UTC] PHP Fatal error:  Uncaught PDOException: 42S02 in /app/db.php:3
            Stack trace:
            #0 /app/db.php(3): PDO->query('SELECT * FROM x')
            #1 [internal function]: {closure}(1)
            #2 {main}

            Next RuntimeException: cannot charge in /app/shop.php:9
            Stack trace:
            #0 /app/main.php(7): charge()
            #1 {main}
              thrown in /app/shop.php on line 9
            """#),
        Sample(
            "PHP, a time on each line",
            #"""
            [20-Nov-2026 10:20:30 UTC] PHP Fatal error:  Uncaught Exception: declined in /app/shop.php:3
            [20-Nov-2026 10:20:30 UTC] PHP Stack trace:
            [20-Nov-2026 10:20:30 UTC] PHP   1. {main}() /app/main.php:0
            [20-Nov-2026 10:20:30 UTC] PHP  12. charge() /app/main.php:7
            """#),
        Sample(
            "PHP, printed",
            #"""
            RuntimeException: declined in /app/shop.php:3
            Stack trace:
            #0 Command line code(1): charge()
            #1 {main}
            """#),
        Sample(
            "PHP, shown",
            #"""
            Fatal error: Uncaught TypeError: charge(): Argument #1 ($x) must be of type int in /app/shop.php:3
            Stack trace:
            #0 {main}
              thrown in /app/shop.php on line 3
            """#),
        Sample(
            "PHP, Laravel",
            #"""
            [2026-11-20 10:20:30] web.ERROR: no {"exception":"[object] (Error(code: 0): at /Shop.php:3)
            [stacktrace]
            #0 /app/vendor/laravel/src/Illuminate/Pipeline.php(180): Illuminate\\{closure}()
            #1 /app/public/index.php(52): require_once('/app/public/ind...')
            #2 {main}

            [previous exception] [object] (PDOException(code: 42S02): SQLSTATE[42S02] at /app/Db.php:3)
            [stacktrace]
            #0 {main}
            "}\#u{20}
            """#),
        Sample(
            "PHP, behind nginx",
            #"""
            2026/11/20 10:20:30 [error] 1#1: *1 "PHP message: PHP Fatal error:  Uncaught Error: x in /f.php:3
            Stack trace:
            #0 {main}
              thrown in /f.php on line 3" while reading response header from upstream, server: shop
            """#),
    ]
}

/// Lines that join nothing, and lines after which a trace is over.
extension TraceSamples {
    /// Lines of which each is a record.
    static let apart = [
        "2026-11-20 10:20:30 ERROR cannot charge\nserver started",
        "2026-11-20 10:20:30 ERROR cannot charge\nGET /x 200",
        "2026-11-20 10:20:30 ERROR cannot charge\nListening: 8080",
        "2026-11-20 10:20:30 ERROR cannot charge\nexample.com",
        "2026-11-20 10:20:30 ERROR cannot charge\n/var/log/app.log",
        "2026-11-20 10:20:30 ERROR cannot charge\nThread pool ready",
        "2026-11-20 10:20:30 ERROR cannot charge\npanic: boom",
        "2026-11-20 10:20:30 ERROR cannot charge\n#12 server started",
        "2026-11-20 10:20:30 ERROR cannot charge\n2026-11-20 10:20:31 ERROR java.lang.Error: x",
        "2026-11-20 10:20:30 ERROR cannot charge\nExceptional: x",
        "2026-11-20 10:20:30 ERROR cannot charge\nKeyError means that",
        "2026-11-20 10:20:30 INFO ready\njava.lang.IllegalStateException: x",
        "2026-11-20 10:20:30 INFO ready\nTypeError: x",
        "2026-11-20 10:20:30 INFO ready\nTraceback (most recent call last):",
        "2026-11-20 10:20:30 INFO ready\n💣 x",
        "2026-11-20 10:20:30 INFO ready\nthread 'main' panicked at src/main.rs:3:5:",
        "2026-11-20 10:20:30 INFO ready\na.rb:3:in 'f': x (RuntimeError)",
        "2026-11-20 10:20:30 INFO ready\nPHP Fatal error:  Uncaught Exception: x in /f.php:3",
        "2026-11-20 10:20:30 INFO ready\nmain.main",
        "2026-11-20 10:20:30 INFO ready\nat noon (local)",
        "2026-11-20 10:20:30 INFO ready\nexit status 2",
        "2026-11-20 10:20:30 INFO ready\nDetail: x",
        "2026-11-20 10:20:30 INFO ready\n}",
        "2026-11-20 10:20:30 INFO ready\n... done",
        "#0 building with \"default\" instance\n#1 [internal] load definition from Dockerfile\n#1 DONE 0.0s",
        "loaded settings from x.js:12\nserver started",
        "==================\nVersion: 1.2\nserver started",
        "OpenSSH: x\na\nb\n{\"a\":1}\n<34>x",
    ]

    /// Lines, and how many of them are the first record.
    static let ends: [(Int, String)] = [
        (3, "Traceback (most recent call last):\n  File \"a.py\", line 1\nNameError: z\nbye"),
        (3, "Traceback (most recent call last):\n  File \"a.py\", line 1\nNameError: z\nINFO:root:next"),
        (3, "Traceback (most recent call last):\n  File \"a.py\", line 1\nNameError: z\nDetail: x"),
        (2, "Traceback (most recent call last):\n  File \"a.py\", line 1\nserver started"),
        (2, "Traceback (most recent call last):\n  File \"a.py\", line 1\nINFO:root:next"),
        (2, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nDetail: x"),
        (2, "java.lang.Error: x\n\tat a.B.c(B.java:1)\n\nx"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\nINFO ready"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\n[WARN] ready"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\nError: ready"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\n2026-11-20 10:20:31 x"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\nready\nsteady"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\njava.lang.Error: z\n\tat b"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B\nTraceback (most recent call last):"),
        (3, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y\nuser=ann id=5"),
        (5, "java.lang.Error: x\n\tat a.B.c(B.java:1)\nCaused by: a.B: y:\nz\n\t... 1 more\nready"),
        (2, "java.lang.Error: x\nCaused by: a.B: y\nready"),
        (2, "java.lang.Error: x\n\tat a.B.c(B.java:1)\njava.lang.Error: y\n\tat a.B.c(B.java:1)"),
        (1, "[29-Nov-2026 10:00:00 UTC] PHP Warning:  x\n[29-Nov-2026 10:00:01 UTC] PHP Stack trace:"),
        (1, "[29-Nov-2026 10:00:00 UTC] ready\n[29-Nov-2026 10:00:00 UTC] PHP Stack trace:"),
        (1, "2026-11-29 10:00:00 ERROR x\n[29-Nov-2026 10:00:00 UTC] PHP   1. {main}() /a.php:0"),
        (1, "java.lang.Error: x\nINFO: ready"),
        (1, "Error: a\nError: b"),
        (1, "Error: a\nTraceback (most recent call last):"),
        (2, "2026-11-20 ERROR x\nError: a\nError: b"),
        (2, "2026-11-20 ERROR x: a.b.Exception: y\na.b.Exception: y\na.b.Exception: z"),
        (1, "*** restarting\nserver started"),
        (1, "java.lang.Error: x\nSEVERE: broken"),
        (1, "java.lang.Error: x\nserver started"),
        (3, "thread 'main' panicked at src/main.rs:3:5:\nx\nnote: run with `RUST_BACKTRACE`\nserver started"),
        (2, "thread 'main' panicked at src/main.rs:3:5:\nboom\nserver started"),
        (1, "thread 'main' panicked at src/main.rs:3:5:\n2026-11-20 10:20:30 INFO x"),
        (3, "panic: x\n\ngoroutine 1 [running]:\nserver started"),
        (3, "panic: x\nmain.f(0x1)\n\t/a.go:1\nGET(x) 200"),
        (2, "2026-11-20 ERROR x\n  hint\n\nserver started"),
        (1, "2026-11-20 INFO x\n\nserver started"),
        (2, "a.js:1 is bad\n  x\n\ny"),
        (3, "user {\n  name: 'x'\n}\nserver started"),
        (3, "app: Fatal error: x\n\n0 0x1 main\n200 OK"),
        (3, "terminate called without an active exception\n\nAborted\nAborted"),
        (4, "/app/f.js:1\nthrow 1\n^\n1\nserver started"),
        (2, "/app/f.js:1\nthrow 1\nserver started"),
        (2, "a.rb:3:in 'f': x (RuntimeError)\n\tfrom a.rb:1:in 'g'\nDetail: x"),
    ]
}
